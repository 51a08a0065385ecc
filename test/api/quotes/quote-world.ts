// The API with quotes of the sandbox provider, which runs as a real HTTP server with its own clock.
import type { Corridor } from '../../../src/corridors/names';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { openAccount } from '../../../src/providers/registry';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { usdCents } from '../../../src/domain/money';
import type { ApiSettings } from '../../../api/context';
import type { Quoter } from '../../../src/ports/quotes';
import {
  bearer,
  costsWithin,
  createMemoryKeySets,
  type Reply,
  type TestApp,
} from '../../support/app';
import { bracket, withApp, withDatabase, withPartner } from '../../support/brackets';
import { anIntent } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { mintToken } from '../../support/payments/partner';
import { ProviderCaller, TOKEN } from '../../sandbox/provider-caller';

const JSON_HEADER = { 'Content-Type': 'application/json' };

/** As on the wire. */
export interface WireQuote {
  readonly quote_id: string;
  readonly payee: { readonly name: string | null; readonly verified: boolean };
  readonly local: { readonly currency: string; readonly amount: number };
  readonly rate: string | null;
  readonly expires_at: string;
}

export const shownOf = ({ payee, local, rate }: WireQuote) => ({ payee, local, rate });

/** A provider at an address, as the API knows it. */
export function quoterAt(url: string): Quoter & { close(): Promise<void> } {
  const outbound = createProviderOutbound();
  const of = { account: 'main', adapter: 'http', url, token: TOKEN } as const;
  const close = () => outbound.close();
  return { ...openAccount(outbound, of), costBounds: costsWithin, close };
}

/** The sandbox provider, whose clock begins at noon and never goes back. */
function withSandbox() {
  return bracket(
    async () => {
      const caller = new ProviderCaller();
      await caller.start();
      return { caller, quoter: quoterAt(caller.url) };
    },
    async ({ caller, quoter }) => {
      await quoter.close();
      await caller.stop();
    },
  );
}

function turnTo(instant: Date, { clock, advance }: ProviderCaller['time']): void {
  advance(Math.max(0, instant.getTime() - clock.now().getTime()));
}

export function withQuotes(settings: Partial<ApiSettings> = {}) {
  const bed = withDatabase({ poolSize: 16 });
  const partner = withPartner(bed);
  const sandbox = withSandbox();
  const others = new Map<Corridor, Quoter>();
  const quoters = {
    get th_qrpay() {
      return others.get('th_qrpay') ?? sandbox.quoter;
    },
    get vn_qrpay() {
      return sandbox.quoter;
    },
  };
  const app = withApp(bed, () => ({ keySets: createMemoryKeySets([partner]), quoters, settings }));
  beforeEach(async () => {
    app.mode = 'settle';
    others.clear();
    await bed.setNow(NOON);
    await bed.database.query({ text: 'truncate partner_quotes' });
    turnTo(NOON, sandbox.caller.time);
  });
  return {
    ...{ bed, partner, app, sandbox, ...payerOf(app) },
    mint: (intent: PaymentIntent) => mintToken(partner, intent),
    /** An intent of that amount and a token for it. */
    async begin(cents = 1_250, corridor: Corridor = 'th_qrpay') {
      const intent = await anIntent(bed, partner, { amountUsdCents: usdCents(cents), corridor });
      return [intent, mintToken(partner, intent)] as const;
    },
    /** Turns all clocks to so many seconds after noon. */
    async setSeconds(seconds: number) {
      turnTo(secondsAfter(NOON, seconds), sandbox.caller.time);
      await bed.setNow(secondsAfter(NOON, seconds));
    },
    /** Another provider of Thailand than the sandbox, for the rest of the test. */
    setProvider: (quoter: Quoter) => others.set('th_qrpay', quoter),
  };
}

/** The requests of the checkout. */
function payerOf(app: Pick<TestApp, 'send' | 'confirm'>) {
  const quote = ({ intentId }: PaymentIntent, token: string, body: unknown): Promise<Reply> =>
    app.send({
      ...{ method: 'POST', path: `/flow/${intentId}/quote`, body: JSON.stringify(body) },
      headers: { ...bearer(token), ...JSON_HEADER },
    });
  return {
    quote,
    async quoted(intent: PaymentIntent, token: string, code: string): Promise<WireQuote> {
      const reply = await quote(intent, token, { qr_payload: code });
      if (reply.status !== 200) throw new Error(`not quoted: ${reply.text}`);
      return JSON.parse(reply.text) as WireQuote;
    },
    confirm: (intent: PaymentIntent, token: string, body: unknown) =>
      app.confirm(intent, token, { headers: JSON_HEADER, body: JSON.stringify(body) }),
  };
}
