// The API over a real Postgres on a free port, called by HTTP. Only the workflow runner is
// simulated: it applies the transitions of a workflow at once, or gives no answer.
import { byCorridor } from '../../src/corridors/names';
import { randomBytes } from 'node:crypto';
import { createApp } from '../../api/app';
import type { CheckoutFiles } from '../../api/checkout/files';
import type { ApiDependencies, ApiIntents, ApiSettings } from '../../api/context';
import { closeServer, createApiServer } from '../../api/server';
import type { KeySetFetcher, PartnerDirectory } from '../../src/ports/partners';
import type { Log, RequestLine, RequestLog } from '../../src/ports/observe';
import type { PaymentRunner } from '../../src/ports/intents';
import type { PaymentStart } from '../../src/domain/intents/payment-start';
import { listen } from '../../src/main/listen';
import type { TestPartner } from './payments/partner';
import { INSTALLATION, ENVIRONMENT, TTL_SECONDS, type TestBed } from './builders';
import { capturePaid } from './payments/proofs';
import { PAYEE_KINDS } from '../../src/corridors/scheme';
import { AMOUNT_MAX_USD_CENTS } from '../../src/domain/limits';
import { NO_CODE_REQUIRED } from './payments/qr-codes';
import { createSenders, type Senders } from './http/senders';
import { TERMS } from './payments/accounts';

export { bearer, GOOD_CREATE, pathOf, scanned, type Outgoing, type Reply } from './http/senders';

/** `silent`: the runner gets the request, and does not answer before the deadline of the caller. */
export type RunnerMode = 'settle' | 'authorize' | 'no_answer' | 'busy_once' | 'silent';

export interface TestApp extends Senders {
  readonly url: string;
  readonly port: number;
  /** The behaviour of the simulated runner from now on. */
  mode: RunnerMode;
  /** The payments whose workflows the API has begun. */
  readonly begun: PaymentStart[];
  /** The reasons of rejections, as the metrics count them. */
  readonly rejections: string[];
  /** Orders sent to the provider. The simulated runner records each payout as the activity does. */
  readonly payouts: SentPayout[];
  /** The scanned codes sent to the provider for the intent. */
  codesFor(intent: { readonly intentId: string }): readonly (string | null)[];
  /** Results of key set lookups, as the metrics count them. */
  readonly keySetUses: string[];
  /** Every line that was logged, as JSON. */
  readonly lines: string[];
  close(): Promise<void>;
}

interface SentPayout {
  readonly intentId: string;
  readonly qrPayload: string | null;
}

/** What the app records during a test. */
type Records = Pick<TestApp, 'begun' | 'payouts' | 'rejections' | 'keySetUses' | 'lines'>;

export interface AppOptions {
  readonly keySets?: KeySetFetcher;
  readonly settings?: Partial<ApiSettings>;
  readonly isDatabaseUp?: () => Promise<boolean>;
  /** SERVICE_ENV; default `sandbox`. */
  readonly environment?: 'sandbox' | 'prod';
  readonly partners?: PartnerDirectory;
  /** The checkout page; by default an empty one. */
  readonly checkout?: CheckoutFiles;
  /** A real runner instead of the simulated one. */
  readonly runner?: PaymentRunner;
  /** Who gives quotes; by default nobody can. */
  readonly quoters?: ApiDependencies['quoters'];
  /** Wraps the store of intents. */
  readonly aroundIntents?: (intents: ApiIntents) => ApiIntents;
  /** Receives log lines instead of `lines`. */
  readonly log?: Log;
  readonly requestLog?: RequestLog;
}

export const SETTINGS: ApiSettings = {
  errorEnvelope: 'flat',
  intentTtlSeconds: TTL_SECONDS,
  confirmWaitMs: 8_000,
  trustedProxyHops: 0,
  requestsMax: 2_048,
  isServedOverTls: false,
  minimumUsdCents: byCorridor(() => 1),
  maximumUsdCents: byCorridor(() => AMOUNT_MAX_USD_CENTS),
  codeRules: byCorridor(() => ({ payeeKinds: PAYEE_KINDS, isCodeAmountAllowed: true })),
  needsLocal: byCorridor(() => false),
  isQrPayloadRequired: NO_CODE_REQUIRED,
  isQuoteRequired: byCorridor(() => false),
};

/** As by default in production. */
export const CONNECTIONS_MAX = 4_096;

/** What a payout costs where no setting says otherwise. */
export const costsWithin = (amountUsdCents: number) => ({
  ...{ minUsdCents: amountUsdCents - 1, maxUsdCents: amountUsdCents },
});
const NO_QUOTERS = byCorridor(() => ({ account: 'http/main', costBounds: costsWithin }));

const NOTHING = Buffer.alloc(0);
const NO_CHECKOUT: CheckoutFiles = {
  page: { type: 'text/html', bytes: { br: NOTHING, gzip: NOTHING, identity: NOTHING } },
  assets: new Map(),
};

/**
 * A simulator of the key set port that records the fetched addresses. A partner's keys are made
 * when they are fetched.
 */
export function createMemoryKeySets(partners: readonly TestPartner[]) {
  const published = new Map<string, unknown>(
    partners.map((partner) => [
      partner.jwks_url,
      {
        get keys() {
          return partner.jwks.keys;
        },
      },
    ]),
  );
  const fetched: string[] = [];
  const fetcher: KeySetFetcher = {
    fetchKeySet(url) {
      fetched.push(url);
      const set = published.get(url);
      return set === undefined
        ? Promise.reject(new Error('the key set answered 404'))
        : Promise.resolve(set);
    },
  };
  return { ...fetcher, published, fetched };
}

export async function startApp(bed: TestBed, options: AppOptions = {}): Promise<TestApp> {
  const state = { mode: 'settle' as RunnerMode };
  const records: Records = { begun: [], payouts: [], rejections: [], keySetUses: [], lines: [] };
  const dependencies = apiDependencies(bed, options, { state, records });
  const { errorEnvelope: envelope } = dependencies.settings;
  const server = createApiServer({
    handler: createApp(dependencies).callback(),
    envelope,
    randomness: dependencies.randomness,
    clock: bed.clock,
    connectionsMax: CONNECTIONS_MAX,
  });
  const port = await listen(server, 0, '127.0.0.1');
  const url = `http://127.0.0.1:${String(port)}`;
  return {
    url,
    port,
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    ...records,
    codesFor: ({ intentId }) =>
      records.payouts.filter((one) => one.intentId === intentId).map((one) => one.qrPayload),
    ...createSenders({ url, port, envelope }),
    close: () => closeServer(server, 1_000),
  };
}

interface Simulation {
  readonly state: { mode: RunnerMode };
  readonly records: Records;
}

/** The dependencies of the API: real stores, and simulators for the rest. */
export function apiDependencies(
  bed: TestBed,
  options: AppOptions,
  { state, records }: Simulation,
): ApiDependencies {
  const stores = bed.storesIn(options.environment ?? ENVIRONMENT);
  return {
    intents: intentsOf(stores.intents, options),
    limits: stores.limits,
    logos: stores.logos,
    tokens: stores.tokens,
    quotes: stores.quotes,
    quoters: options.quoters ?? NO_QUOTERS,
    replayGuard: stores.replayGuard,
    partners: options.partners ?? stores.partners,
    keySets: options.keySets ?? createMemoryKeySets([]),
    runner: options.runner ?? createSimulatedRunner(bed, state, records),
    clock: bed.clock,
    randomness: { bytes: (count: number) => randomBytes(count) },
    installation: INSTALLATION,
    ...logsOf(options, records),
    metrics: {
      requestAnswered: () => undefined,
      credentialsRejected: (_kind, reason) => records.rejections.push(reason),
      keySkipped: () => undefined,
      keySetLookedUp: (outcome) => records.keySetUses.push(outcome),
      requestsInProgress: () => undefined,
    },
    checkout: options.checkout ?? NO_CHECKOUT,
    isDatabaseUp: options.isDatabaseUp ?? (() => Promise.resolve(true)),
    settings: { ...SETTINGS, ...options.settings },
  };
}

function intentsOf(store: ApiIntents, { aroundIntents }: AppOptions): ApiIntents {
  return aroundIntents?.(store) ?? store;
}

/** Records log lines in memory, unless the options contain a log. */
function logsOf({ log, requestLog }: AppOptions, records: Records) {
  const logLine = (fields: object, message: string) => {
    records.lines.push(JSON.stringify({ ...fields, message }, withErrors));
  };
  const lines = { info: logLine, warn: logLine, error: logLine };
  const answered = ({ about, ...line }: RequestLine) => {
    logLine({ ...line, ...about }, 'request');
  };
  return { log: log ?? lines, requestLog: requestLog ?? { answered } };
}

/** The runner port without Temporal: applies transitions while the caller waits. */
export function createSimulatedRunner(
  { intents, funds, payoutJournal }: TestBed,
  state: { mode: RunnerMode },
  { begun, payouts }: Pick<Records, 'begun' | 'payouts'>,
): PaymentRunner {
  const settle = async (payment: PaymentStart, isDebited = false) => {
    const { intentId, amountUsdCents } = payment;
    if (!isDebited) await funds.debit(intentId, amountUsdCents);
    const sending = await payoutJournal.recordFirstSending(intentId, payment, TERMS);
    if (sending !== undefined) payouts.push({ intentId, qrPayload: sending.qrPayload });
    await capturePaid(intents, intentId);
  };
  const noAnswer = (deadline: AbortSignal) =>
    state.mode === 'silent' ? aborted(deadline).then(() => 'no_answer' as const) : 'no_answer';
  const isDown = () => state.mode === 'no_answer' || state.mode === 'silent';
  return {
    begin: (payment) => begun.push(payment),
    async confirm(payment, token, { deadline }) {
      if (isDown()) return noAnswer(deadline);
      if (state.mode === 'busy_once') {
        state.mode = 'settle';
        return 'busy';
      }
      const { intentId, amountUsdCents } = payment;
      const change = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
      const isSettled = state.mode === 'settle';
      const debit = isSettled && { debitUsdCents: amountUsdCents };
      const { outcome, isDebited } = await intents.transition({ ...change, ...debit, token });
      if (outcome === 'did' && isSettled) await settle(payment, isDebited);
      return 'answered';
    },
    async cancel({ intentId }, _nonce, deadline) {
      if (isDown()) return noAnswer(deadline);
      const { status } = await intents.readCurrentState(intentId);
      if (status === 'created' || status === 'authorized') {
        await intents.transition({ intentId, from: status, event: 'cancel', actor: 'partner' });
      }
      return 'answered';
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

function withErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? { message: value.message, cause: value.cause } : value;
}
