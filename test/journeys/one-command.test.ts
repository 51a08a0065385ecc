// `npm start` with every part as a real process: parts are killed and restarted, and data, keys and
// ports stay the same (architecture, section 7).
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { queryOnce } from '../../src/dev/stack/postgres';
import { readSandboxFile, type SandboxPartner } from '../../src/dev/demo/sandbox-file';
import { until } from '../../src/dev/until';
import { canonicalRequest } from '../../src/signing/canonical-request';
import { signCanonicalRequest } from '../../src/signing/hmac';
import { contractFetch } from '../support/contract/contract';
import {
  isRunning,
  npmStart,
  pidOf,
  stillRunning,
  type NpmStart,
} from '../support/programs/npm-start';
import { createSandboxPayer } from '../support/payments/sandbox-payer';
import { shownInUi, summariesInUi } from '../support/servers/temporal-ui';

const NAMES = ['api', 'postgres', 'sandbox', 'temporal', 'worker'];
/** Pending at the provider for three seconds, so that the test can kill a part meanwhile. */
const PENDING_USD_CENTS = 40_004;

/** Settings that `npm start` passes on to the API (docs/configuration.md). */
const FOR_THE_API = { INTENT_TTL_SECONDS: '600', CONFIRM_WAIT_MS: '0' };

/** Sends a create with this body, signed by the partner's key. */
function post(url: string, partner: SandboxPartner, body: string): Promise<Response> {
  const signed = {
    method: 'POST',
    path: new URL(url).pathname,
    timestamp: new Date().toISOString(),
    nonce: randomBytes(32).toString('hex'),
    body: Buffer.from(body),
  };
  return contractFetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-key-id': partner.key_id,
      'x-service-timestamp': signed.timestamp,
      'x-service-nonce': signed.nonce,
      'x-service-signature': signCanonicalRequest(canonicalRequest(signed), partner.signing_secret),
    },
  });
}

describe('one command', () => {
  const directory = mkdtempSync(join(tmpdir(), 'journey-'));
  let start: NpmStart;

  function payer(which: 0 | 1 = 0) {
    const sandbox = start.sandbox();
    const partner = sandbox.partners[which];
    if (partner === undefined) throw new Error('two partners are onboarded');
    return createSandboxPayer(sandbox, partner);
  }

  beforeAll(async () => {
    start = await npmStart(directory);
  });

  afterAll(async () => {
    await start.interrupt();
    rmSync(directory, { recursive: true, force: true });
  });

  it('drives one payment and prints each step', () => {
    const output = start.output();
    const steps = [
      'created',
      'token minted',
      'confirmed',
      'debited',
      'paid out',
      'captured',
      'webhook verified',
    ];
    for (const step of steps) expect(output).toMatch(new RegExp(`${step} .*\\d (ms|s)`));
  });

  it('prints the address of a checkout, whose token confirms the payment', async () => {
    const [, intentId = '', token = ''] =
      /\/flow\/(pi_\w+)\/scan#token=([\w.-]+)&return_scheme=siam-travel\n/.exec(start.output()) ??
      [];
    const { client, confirm } = payer(0);
    const intent = await client.getIntent(intentId);
    expect(intent.status).toBe('created');
    const reply = await confirm(intent, token);
    await expect(reply.json()).resolves.toMatchObject({ status: 'captured' });
  });

  it('writes .local/sandbox.json, readable by its owner alone, that names every process', () => {
    const sandbox = start.sandbox();
    expect(statSync(join(directory, 'sandbox.json')).mode & 0o777).toBe(0o600);
    expect(sandbox.processes.map(({ name }) => name).sort()).toEqual(NAMES);
    expect(sandbox.processes.every(({ pid }) => isRunning(pid))).toBe(true);
    expect(sandbox.partners.map(({ webhook_secret }) => webhook_secret.slice(0, 6))).toEqual([
      'whsec_',
      'whsec_',
    ]);
    expect(new Set(sandbox.partners.map(({ issuer }) => issuer)).size).toBe(2);
  });

  it.each([0, 1] as const)(
    'captures a payment of partner %i, once, with its webhook',
    async (n) => {
      const { create, mint, confirm, paidOut, verifiedEvents, client } = payer(n);
      const intent = await create(2_500);
      const reply = await confirm(intent, await mint(intent));
      expect(reply.status).toBe(200);
      await expect(reply.json()).resolves.toMatchObject({ status: 'captured' });
      await expect(client.getIntent(intent.intentId)).resolves.toMatchObject({
        status: 'captured',
      });
      await expect(paidOut(intent)).resolves.toEqual([2_500]);
      await expect(verifiedEvents(intent)).resolves.toEqual(['payment_intent.captured']);
    },
  );

  it('rejects missing credentials, a wrong signature and a body that is not JSON, in the exact envelope', async () => {
    const { base_url: baseUrl, partners } = start.sandbox();
    const url = `${baseUrl}/v1/payment_intents`;
    const rejection = { error: 'authentication_failed', message: expect.any(String) as unknown };
    const bare = await contractFetch(url, { method: 'POST', body: '{}' });
    expect([bare.status, await bare.json()]).toEqual([401, rejection]);
    const [partner] = partners;
    if (partner === undefined) throw new Error('two partners are onboarded');
    const forged = await post(url, { ...partner, signing_secret: 'guessed' }, '{}');
    expect([forged.status, await forged.json()]).toEqual([401, rejection]);
    const broken = await post(url, partner, 'not JSON');
    expect(broken.status).toBe(400);
    await expect(broken.json()).resolves.toEqual({ ...rejection, error: 'validation_failed' });
  });

  it('shows the course of a payment in the Temporal UI', async () => {
    const { create, mint, confirm } = payer();
    const intent = await create(2_501);
    await confirm(intent, await mint(intent));
    const connection = await Connection.connect({ address: start.sandbox().temporal_address });
    const handle = new Client({ connection }).workflow.getHandle(intent.intentId);
    const { status } = await handle.describe();
    const shown = await shownInUi(handle);
    const summaries = await summariesInUi(handle);
    const { events } = await handle.fetchHistory();
    await connection.close();
    expect(status.name).toMatch(/RUNNING|COMPLETED/);
    const summary = '25.01 USD to vn_qrpay for siam-travel';
    expect(shown).toEqual({
      summary,
      partnerId: 'siam-travel',
      corridor: 'vn_qrpay',
      status: 'captured',
      needsAttention: false,
      // Its webhook is on the way, or has arrived by now.
      currentDetails: expect.stringMatching(/^Finished: captured\. /) as unknown,
    });
    expect(summaries).toEqual([
      summary,
      'Authorize and debit',
      'Pay out and capture',
      'Send the webhook',
    ]);
    const activities = events?.flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityId ?? [],
    );
    // The debit and the payout are local activities of the confirm's task (decisions 124 and 135).
    expect(activities).toEqual(['webhook']);
  });

  it.each(['worker', 'api', 'postgres'])(
    'captures a payment once that was in progress when the %s was killed',
    async (name) => {
      const { create, mint, confirm, statusBecomes, paidOut, verifiedEvents } = payer();
      const intent = await create(PENDING_USD_CENTS);
      const accepted = await confirm(intent, await mint(intent), { prefer: 'respond-async' });
      await expect(accepted.json()).resolves.toMatchObject({ status: 'authorized' });
      const killed = pidOf(start.sandbox(), name);
      process.kill(killed, 'SIGKILL');
      await until(() => pidOf(start.sandbox(), name) !== killed, { timeoutMs: 30_000 });
      expect(pidOf(start.sandbox(), name)).not.toBe(killed);
      const isPrinted = () => start.output().includes(`${name} ended (SIGKILL)`);
      await expect(until(isPrinted, { timeoutMs: 30_000 })).resolves.toBe(true);
      await expect(statusBecomes(intent, 'captured')).resolves.toBe('captured');
      await expect(paidOut(intent)).resolves.toEqual([PENDING_USD_CENTS]);
      await expect(verifiedEvents(intent)).resolves.toEqual(['payment_intent.captured']);
    },
  );

  it('serves the metrics of API and worker at the printed addresses, also after a restart', async () => {
    const api = await fetch(start.sandbox().metrics_url);
    await expect(api.text()).resolves.toContain('# TYPE http_request_duration_seconds ');
    const worker = await fetch(workerMetricsOf(start));
    await expect(worker.text()).resolves.toContain('# TYPE holding_low_usd_cents ');
  });

  it('prints that it is running already, and changes nothing', async () => {
    const before = start.sandbox().processes;
    const second = await npmStart(directory);
    await until(() => second.process.exitCode !== null, { timeoutMs: 10_000 });
    expect(second.process.exitCode).toBe(0);
    expect(second.output()).toContain('is running here already');
    expect(second.output()).toContain(start.sandbox().base_url);
    expect(start.sandbox().processes).toEqual(before);
  });

  it('leaves no process behind on Ctrl-C, and keeps the data for the next start', async () => {
    const intent = await payer().create(2_502);
    const { processes, base_url } = start.sandbox();
    await expect(start.interrupt()).resolves.toBe(0);
    await expect(stillRunning(processes.map(({ pid }) => pid))).resolves.toEqual([]);
    start = await npmStart(directory);
    expect(start.sandbox().base_url).toBe(base_url);
    const { confirm, mint } = payer();
    const reply = await confirm(intent, await mint(intent));
    await expect(reply.json()).resolves.toMatchObject({ status: 'captured' });
  });

  it('ends the processes that a killed start left behind, and keeps data, keys and ports', async () => {
    const [before, workerMetrics] = [start.sandbox(), workerMetricsOf(start)];
    start.process.kill('SIGKILL');
    await until(() => start.process.signalCode !== null, { timeoutMs: 10_000 });
    start = await npmStart(directory, FOR_THE_API);
    expect(start.output()).toContain('ended processes of a killed start');
    await expect(stillRunning(before.processes.map(({ pid }) => pid))).resolves.toEqual([]);
    expect({ ...start.sandbox(), processes: [] }).toEqual({ ...before, processes: [] });
    expect(workerMetricsOf(start)).toBe(workerMetrics);
  });

  it('passes on to the API how long an intent lives, and how long a confirm waits', async () => {
    const { create, mint, confirm } = payer();
    const intent = await create(PENDING_USD_CENTS);
    // The API shows no expiry time, so the test reads the row.
    const text = `select extract(epoch from expires_at - created_at)::float8 as seconds
                    from payment_intents where intent_id = $1`;
    const values = [intent.intentId];
    const rows = await queryOnce(start.sandbox().database_url, { text, values });
    expect(rows).toEqual([{ seconds: 600 }]);
    const reply = await confirm(intent, await mint(intent));
    await expect(reply.json()).resolves.toMatchObject({ status: 'authorized' });
  });

  it('leaves no process behind when its terminal is closed', async () => {
    const { processes } = start.sandbox();
    // A closed terminal reads no output any more.
    start.process.stdout?.destroy();
    start.process.stderr?.destroy();
    start.process.kill('SIGHUP');
    await until(() => start.process.exitCode !== null, { timeoutMs: 30_000 });
    expect(start.process.exitCode).toBe(0);
    await expect(stillRunning(processes.map(({ pid }) => pid))).resolves.toEqual([]);
    expect(readSandboxFile(directory)).toBeUndefined();
  });
});

/** Reads the address from the output, which is the only place that has it. */
function workerMetricsOf(start: NpmStart): string {
  const [, address] = /worker metrics +(\S+)/.exec(start.output()) ?? [];
  if (address === undefined) throw new Error(`no worker metrics in:\n${start.output()}`);
  return address;
}
