// The list of failpoints: before and after every effect that a process has through one of its
// ports. The types make a renamed port function a compile error.
import type { IntentEvent } from '../../../src/domain/intents/transitions';
import type { FundsAccount } from '../../../src/ports/funds-account';
import type { IntentStore, PaymentRunner, PaymentClaims } from '../../../src/ports/intents';
import type { PayoutProvider } from '../../../src/ports/payout-provider';
import type { PayoutRechecks, PayoutLock, PayoutJournal } from '../../../src/ports/payouts';
import type { PayoutStops } from '../../../src/ports/restores';
import type { ReplayGuard, SessionTokenStore } from '../../../src/ports/partners';
import type { WebhookSender, WebhookStore } from '../../../src/ports/webhooks';

/** Uses the port names of src/main/worker.ts and api.ts. */
interface Ports {
  readonly intents: IntentStore;
  readonly funds: FundsAccount;
  readonly payoutJournal: PayoutJournal;
  readonly payoutLock: PayoutLock;
  readonly payoutStops: PayoutStops;
  readonly rechecks: PayoutRechecks;
  readonly provider: PayoutProvider;
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly claims: PaymentClaims;
  readonly tokens: SessionTokenStore;
  readonly replayGuard: ReplayGuard;
  readonly runner: PaymentRunner;
}

const TRANSITIONS: readonly IntentEvent[] = [
  'authorize',
  'expire',
  'cancel',
  'capture',
  'fail',
  'refund',
];

function around<Name extends keyof Ports>(
  name: Name,
  effects: readonly (keyof Ports[Name] & string)[],
): readonly string[] {
  return effects.flatMap((effect) => [`${name}.${effect} before`, `${name}.${effect} after`]);
}

export const WORKER_POINTS = [
  ...TRANSITIONS.flatMap((event) =>
    around('intents', ['transition']).map((point) => point.replace(' ', `:${event} `)),
  ),
  ...around('intents', ['capturePaid', 'expireOverdue', 'setAttention']),
  ...around('funds', ['debit']),
  ...around('payoutJournal', [
    'recordFirstSending',
    'beginAttempt',
    'recordSending',
    'recordAnswer',
    'recordRefusal',
  ]),
  ...around('payoutLock', ['lock', 'unlock', 'recordVerified']),
  ...around('rechecks', ['claimDueRechecks', 'finish']),
  ...around('provider', ['pay', 'find']),
  ...around('webhooks', ['claim', 'claimWaiting', 'leaveToPoller', 'finish']),
  ...around('sender', ['post']),
  ...around('claims', ['claimDue', 'claimOverdue', 'markStarted', 'skipEvents']),
];

export const API_POINTS = [
  ...around('intents', ['create', 'findSigned', 'answerCancel']),
  ...around('tokens', ['storePayload', 'answerConfirm']),
  ...around('replayGuard', ['claimNonce']),
  ...around('runner', ['begin', 'confirm', 'cancel']),
];
