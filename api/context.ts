// The dependencies and settings of the API, and the state that each request carries.
import type { ParameterizedContext } from 'koa';
import type { CheckoutFiles } from './checkout/files';
import type { ErrorEnvelope } from './errors';
import type { Corridor } from '../src/corridors/names';
import type { PayeeKind } from '../src/corridors/scheme';
import type { About, DomainError } from '../src/domain/errors';
import type { Clock, Randomness } from '../src/ports/clock';
import type { IntentStore, PaymentRunner } from '../src/ports/intents';
import type {
  KeySetFetcher,
  PartnerDirectory,
  PartnerLimits,
  PartnerLogos,
  ReplayGuard,
  SessionTokenStore,
} from '../src/ports/partners';
import type { Quoter, QuoteStore } from '../src/ports/quotes';
import type { Log, RequestLog, Metrics } from '../src/ports/observe';
import type { Installation } from '../src/signing/installation';

/**
 * The API creates and reads intents and decides answers; workflows change their status (rule R1).
 */
export type ApiIntents = Pick<
  IntentStore,
  'create' | 'find' | 'findSigned' | 'statuses' | 'readReceipt' | 'answerCancel'
>;

export interface ApiDependencies {
  readonly intents: ApiIntents;
  readonly limits: PartnerLimits;
  readonly logos: PartnerLogos;
  readonly tokens: SessionTokenStore;
  readonly quotes: QuoteStore;
  readonly quoters: Readonly<Record<Corridor, Quoter>>;
  readonly replayGuard: ReplayGuard;
  readonly partners: PartnerDirectory;
  readonly keySets: KeySetFetcher;
  readonly runner: PaymentRunner;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly installation: Installation;
  readonly log: Log;
  readonly requestLog: RequestLog;
  readonly metrics: Metrics;
  readonly checkout: CheckoutFiles;
  /** Whether Postgres answers. Without it the API reports that it is not ready. */
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly settings: ApiSettings;
}

interface CodeRules {
  readonly payeeKinds: readonly PayeeKind[];
  /** Whether a code with an amount is accepted. */
  readonly isCodeAmountAllowed: boolean;
}

export interface ApiSettings {
  readonly errorEnvelope: ErrorEnvelope;
  readonly intentTtlSeconds: number;
  readonly confirmWaitMs: number;
  readonly trustedProxyHops: number;
  /** Further requests are answered 503 while this many are in progress. */
  readonly requestsMax: number;
  /** True when this process or our proxy terminates TLS (decision 23). */
  readonly isServedOverTls: boolean;
  /** An amount below this is answered 422 (decision 3). */
  readonly minimumUsdCents: Readonly<Record<Corridor, number>>;
  /** A larger amount is answered 400. */
  readonly maximumUsdCents: Readonly<Record<Corridor, number>>;
  /** Which scanned codes are accepted. */
  readonly codeRules: Readonly<Record<Corridor, CodeRules>>;
  /** Whether the corridor's provider needs a code with an amount, or a quote. */
  readonly needsLocal: Readonly<Record<Corridor, boolean>>;
  /** Whether a confirm must carry the scanned code (decision 20). */
  readonly isQrPayloadRequired: Readonly<Record<Corridor, boolean>>;
  /** Whether it must carry a quote. */
  readonly isQuoteRequired: Readonly<Record<Corridor, boolean>>;
}

export interface RequestState {
  requestId: string;
  /** The exact bytes received: signatures cover these. */
  body: Buffer;
  about?: About;
  /** Why the request was rejected: for the log and the metrics, never for the caller. */
  rejection?: DomainError;
}

export type ApiContext = ParameterizedContext<RequestState>;
