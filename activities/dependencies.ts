// What a worker hands to the activities of payments.
import type { Corridor } from '../src/domain/corridor';
import type { EndpointSpeeds } from '../src/domain/webhooks/endpoint-speeds';
import type { Stopwatch } from '../src/ports/clock';
import type { FundsAccount } from '../src/ports/funds-account';
import type { IntentStore } from '../src/ports/intent-store';
import type { Log } from '../src/ports/log';
import type { LostCommits, RestoreWatch } from '../src/ports/payouts/lost-commits';
import type { PayoutRechecks } from '../src/ports/payouts/rechecks';
import type { PayoutLock, PayoutJournal } from '../src/ports/payouts/journal';
import type { PayoutProvider } from '../src/ports/payouts/provider';
import type { PayoutStops } from '../src/ports/payouts/stops';

export interface PaymentDependencies {
  readonly intents: IntentStore;
  readonly funds: FundsAccount;
  readonly payoutJournal: PayoutJournal;
  readonly payoutLock: PayoutLock;
  readonly payoutStops: PayoutStops;
  readonly rechecks: PayoutRechecks;
  readonly lostCommits: LostCommits;
  readonly restoreWatch: RestoreWatch;
  readonly providers: Readonly<Record<Corridor, PayoutProvider>>;
  readonly startStopwatch: () => Stopwatch;
  readonly installationId: string;
  readonly endpointSpeeds: Pick<EndpointSpeeds, 'isFast'>;
  /** After this an unknown payout is left to operations. */
  readonly payoutUnknownSeconds: number;
  /** Whether operations may confirm without a token: off in prod unless configured (architecture, section 3). */
  readonly isOperatorConfirmAllowed: boolean;
  /** A confirm by operations carries no scanned code, so it authorizes nothing where one is required (decision 20). */
  readonly isQrPayloadRequired: Readonly<Record<Corridor, boolean>>;
  readonly log: Log;
}
