// Calls a sandbox provider over real HTTP as the engine does, and restarts it from its files.
import type { Corridor } from '../../src/corridors/names';
import { SCHEMES } from '../../src/corridors/registry';
import { localFor, referenceOf } from '../../src/sandbox/provider/local-amounts';
import { createProviderServer } from '../../src/sandbox/provider/server';
import { manualTime, type ManualTime } from './manual-time';
import { recordingLog, makeFolder, removeFolder } from './sandbox-folder';

export const TOKEN = 'a bearer credential';

interface JournalEntry {
  readonly key: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
  readonly executed_at: string;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

interface Payout {
  readonly key: string;
  readonly amount: unknown;
  readonly corridor?: Corridor;
  /** Members of the body to replace. */
  readonly change?: Readonly<Record<string, unknown>>;
}

/** The code of the sandbox's page. */
export const codeOf = (corridor: Corridor) => SCHEMES[corridor].sampleCode;

export class ProviderCaller {
  readonly time: ManualTime = manualTime();
  #folder = '';
  #url = '';
  #stop: () => Promise<void> = () => Promise.resolve();

  /** @param callbackUrl where it sends callbacks */
  async start(callbackUrl?: string): Promise<void> {
    if (this.#folder === '') this.#folder = await makeFolder();
    const { clock, schedule } = this.time;
    const deps = { directory: this.#folder, clock, schedule, token: TOKEN, log: recordingLog() };
    const server = await createProviderServer({ ...deps, callbackUrl });
    this.#url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
    this.#stop = () => server.close();
  }

  async restart(): Promise<void> {
    await this.#stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#stop();
    await removeFolder(this.#folder);
  }

  get folder(): string {
    return this.#folder;
  }

  get url(): string {
    return this.#url;
  }

  /** Rejects when the connection ends without an answer. */
  post({ key, amount, corridor = 'th_qrpay', change = {} }: Payout): Promise<Reply> {
    const order = { amount_usd_cents: amount, corridor, qr_payload: codeOf(corridor) };
    const body = JSON.stringify({ ...order, ...change });
    return this.call('/payouts', { method: 'POST', headers: { 'idempotency-key': key }, body });
  }

  get(key: string): Promise<Reply> {
    return this.call(`/payouts/${encodeURIComponent(key)}`);
  }

  quote(change: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    const request = { corridor: 'th_qrpay', amount_usd_cents: 1_250 };
    const body = JSON.stringify({ ...request, qr_payload: codeOf('th_qrpay'), ...change });
    return this.call('/quotes', { method: 'POST', body });
  }

  /** `available` of the balance, in cents. */
  async availableCents(): Promise<number> {
    const { body } = await this.call('/balance');
    return Math.round(Number((body as { readonly available: string }).available) * 100);
  }

  async journal(): Promise<readonly JournalEntry[]> {
    const response = await fetch(`${this.#url}/journal`);
    return (await response.json()) as readonly JournalEntry[];
  }

  /** A GET with these headers only, so without the credential by default. */
  async text(path: string, headers: Record<string, string>) {
    const response = await fetch(this.#url + path, { headers });
    const type = response.headers.get('content-type');
    return { status: response.status, type, text: await response.text() };
  }

  async call(path: string, init: RequestInit = {}): Promise<Reply> {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as object) };
    const response = await fetch(this.#url + path, { ...init, headers });
    return { status: response.status, body: await response.json() };
  }
}

export function payoutReply(key: string, status: string, amount: number): Reply {
  const local = localFor('th_qrpay', amount);
  const facts = { amount_usd_cents: amount, reference: referenceOf(key), local };
  return { status: 200, body: { key, status, ...facts } };
}

/**
 * Waits until the provider holds this request unanswered, or has answered it, which the test then
 * sees in `ended`.
 */
export async function untilUnanswered(
  provider: ProviderCaller,
  sending: Promise<unknown>,
): Promise<{ readonly ended: Promise<string> }> {
  const before = provider.time.waiting();
  const state = { hasEnded: false };
  const ended = sending
    .then(
      () => 'answered',
      () => 'not answered',
    )
    .finally(() => (state.hasEnded = true));
  while (!state.hasEnded && provider.time.waiting() === before) await new Promise(setImmediate);
  return { ended };
}
