// What every request carries through the middleware, and what the whole API is handed.
import type { ParameterizedContext } from 'koa';
import type { CheckoutFiles } from './checkout/files';
import type { ErrorEnvelope } from './errors';
import type { Corridor } from '../src/domain/corridor';
import type { About, DomainError } from '../src/domain/errors';
import type { Clock, Randomness } from '../src/ports/clock';
import type { IntentStore } from '../src/ports/intent-store';
import type { KeySetFetcher } from '../src/ports/key-set-fetcher';
import type { Log, RequestLog } from '../src/ports/log';
import type { Metrics } from '../src/ports/metrics';
import type { PartnerDirectory } from '../src/ports/partner-directory';
import type { PaymentRunner } from '../src/ports/payment-runner';
import type { ReplayGuard } from '../src/ports/replay-guard';
import type { SessionTokenStore } from '../src/ports/session-tokens';
import type { Installation } from '../src/signing/installation';

/** What the API does with intents: it makes them, reads them and answers for them. Only runs move their status (rule R1). */
export type ApiIntents = Pick<
  IntentStore,
  'create' | 'find' | 'findSigned' | 'statuses' | 'answerCancel'
>;

export interface ApiDependencies {
  readonly intents: ApiIntents;
  readonly tokens: SessionTokenStore;
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
  /** Whether Postgres answers; the API is not ready without it. */
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly settings: ApiSettings;
}

export interface ApiSettings {
  readonly errorEnvelope: ErrorEnvelope;
  readonly intentTtlSeconds: number;
  readonly confirmWaitMs: number;
  readonly trustedProxyHops: number;
  /** By this process, or by a proxy of ours in front (decision 23). */
  readonly isServedOverTls: boolean;
  /** Decision 3: below this an amount is 422. */
  readonly minimumUsdCents: Readonly<Record<Corridor, number>>;
  /** Decision 20: whether a confirm must carry the scanned code. */
  readonly isQrPayloadRequired: Readonly<Record<Corridor, boolean>>;
}

export interface RequestState {
  requestId: string;
  /** The exact bytes received. */
  body: Buffer;
  about?: About;
  /** Why it was refused, for the log and the metrics: never for the caller. */
  rejection?: DomainError;
}

export type ApiContext = ParameterizedContext<RequestState>;
