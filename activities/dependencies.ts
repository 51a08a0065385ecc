// Dependencies of the payment activities; the worker's composition root provides them.
import type { Corridor } from '../src/corridors/names';
import type { CostBounds } from '../src/domain/payouts/terms';
import type { ProviderHealth } from '../src/domain/payouts/provider-health';
import type { EndpointSpeeds } from '../src/domain/webhooks/endpoints';
import type { Stopwatch } from '../src/ports/clock';
import type { FundsAccount } from '../src/ports/funds-account';
import type { IntentStore } from '../src/ports/intents';
import type { Log } from '../src/ports/observe';
import type { LostCommits, RestoreWatch, PayoutStops } from '../src/ports/restores';
import type { Accounts } from './accounts';
import type { PaidAsks, PayoutRechecks, PayoutLock, PayoutJournal } from '../src/ports/payouts';

export interface PaymentDependencies extends Accounts {
  readonly intents: IntentStore;
  readonly funds: FundsAccount;
  readonly payoutJournal: PayoutJournal;
  readonly payoutLock: PayoutLock;
  readonly payoutStops: PayoutStops;
  readonly rechecks: PayoutRechecks;
  readonly paidAsks: Pick<PaidAsks, 'recordReturn'>;
  readonly lostCommits: LostCommits;
  readonly restoreWatch: RestoreWatch;
  /** Rejects unless the Temporal namespace is ours: else this database proves no loss. */
  readonly verifyNamespace: () => Promise<void>;
  /** Of an amount in USD cents, what its payout may cost. */
  readonly costBounds: Readonly<Record<Corridor, (amountUsdCents: number) => CostBounds>>;
  /** Seconds from the first request until a captured payment is queried again. */
  readonly paidAskedAfterSeconds: number;
  /** Stands for a payer at a provider: 20 characters. */
  readonly hashPayer: (payer: string) => string;
  readonly startStopwatch: () => Stopwatch;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly installationId: string;
  readonly providerHealth: Readonly<Record<Corridor, ProviderHealth>>;
  readonly endpointSpeeds: Pick<EndpointSpeeds, 'isFast'>;
  /** A payout whose outcome is unknown for longer than this needs attention. */
  readonly payoutUnknownSeconds: number;
  /** Whether operators may confirm without a token: off in prod unless configured. */
  readonly isOperatorConfirmAllowed: boolean;
  /**
   * An operator's confirm carries no scanned code: it is rejected where one is required (decision
   * 20).
   */
  readonly isQrPayloadRequired: Readonly<Record<Corridor, boolean>>;
  /** A larger amount is not authorized. */
  readonly maximumUsdCents: Readonly<Record<Corridor, number>>;
  readonly log: Log;
}
