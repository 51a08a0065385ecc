// The named points at which processes die: before and after every effect that a process has through one of its ports. A
// renamed function of a port is an error of the compiler here.
import type { IntentEvent } from '../../src/domain/intent-transitions';
import type { FundsAccount } from '../../src/ports/funds-account';
import type { IntentStore } from '../../src/ports/intent-store';
import type { PaymentRunner } from '../../src/ports/payment-runner';
import type { PaymentSweep } from '../../src/ports/payment-sweep';
import type { PayoutComparisons } from '../../src/ports/payout-comparisons';
import type { PayoutGate } from '../../src/ports/payout-gate';
import type { PayoutJournal } from '../../src/ports/payout-journal';
import type { PayoutProvider } from '../../src/ports/payout-provider';
import type { PayoutStops } from '../../src/ports/payout-stops';
import type { ReplayGuard } from '../../src/ports/replay-guard';
import type { SessionTokenStore } from '../../src/ports/session-tokens';
import type { WebhookSender } from '../../src/ports/webhook-sender';
import type { WebhookStore } from '../../src/ports/webhook-store';

type EffectOf<Name extends string, Port> = `${Name}.${Extract<keyof Port, string>}`;

/** By the names that src/main/worker.ts gives its ports. */
type WorkerEffect =
  | `intents.transition:${IntentEvent}`
  | Exclude<EffectOf<'intents', IntentStore>, 'intents.transition'>
  | EffectOf<'funds', FundsAccount>
  | EffectOf<'payoutJournal', PayoutJournal>
  | EffectOf<'payoutGate', PayoutGate>
  | EffectOf<'payoutStops', PayoutStops>
  | EffectOf<'comparisons', PayoutComparisons>
  | EffectOf<'provider', PayoutProvider>
  | EffectOf<'webhooks', WebhookStore>
  | EffectOf<'sender', WebhookSender>
  | EffectOf<'sweep', PaymentSweep>;

/** By the names that src/main/api.ts gives its ports. */
type ApiEffect =
  | EffectOf<'intents', IntentStore>
  | EffectOf<'tokens', SessionTokenStore>
  | EffectOf<'replayGuard', ReplayGuard>
  | EffectOf<'runner', PaymentRunner>;

const WORKER_EFFECTS: readonly WorkerEffect[] = [
  'intents.transition:authorize',
  'intents.transition:expire',
  'intents.transition:cancel',
  'intents.transition:capture',
  'intents.transition:fail',
  'intents.transition:refund',
  'intents.expireOverdue',
  'intents.setAttention',
  'funds.debit',
  'payoutJournal.beginAttempt',
  'payoutJournal.noteTaken',
  'payoutGate.close',
  'payoutGate.open',
  'payoutStops.areInForce',
  'comparisons.claimOwed',
  'comparisons.end',
  'provider.pay',
  'provider.find',
  'webhooks.claim',
  'webhooks.claimWaiting',
  'webhooks.leaveToPoller',
  'webhooks.finish',
  'sender.post',
  'sweep.claimDue',
  'sweep.claimOverdue',
  'sweep.markStarted',
  'sweep.missEvents',
];

const API_EFFECTS: readonly ApiEffect[] = [
  'intents.create',
  'intents.findSigned',
  'intents.answerCancel',
  'tokens.keepPayload',
  'tokens.answerConfirm',
  'replayGuard.claimNonce',
  'runner.begin',
  'runner.confirm',
  'runner.cancel',
];

function around(effects: readonly string[]): readonly string[] {
  return effects.flatMap((effect) => [`${effect} before`, `${effect} after`]);
}

export const WORKER_POINTS = around(WORKER_EFFECTS);
export const API_POINTS = around(API_EFFECTS);
