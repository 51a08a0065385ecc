// What a payment waits for now, as a sentence. It is computed from the rows, so that it is right
// even if the workflow is gone. Only a request that no worker has carried out shows in no row.
import { knownIntentId } from '../../postgres/intents/row';
import { stepKey } from '../../domain/ids';
import { parseIntentStatus } from '../../domain/intents/transitions';
import type { EventRow, PayoutRow, StoryRows } from '../../postgres/reports/intent-story';
import type { WorkflowState } from './workflow-state';

/** A running worker has taken the next step by then, even after failures. */
const OVERDUE_AFTER_MS = 90_000;

type Known = WorkflowState | null;

/**
 * Attention comes first: whatever else the payment waits for, an operator must act.
 * @param workflow null if Temporal was not called
 */
export function waitingFor(rows: StoryRows, workflow: Known): string {
  const { attention_since: since } = rows.intent;
  if (since === null) return waitingWithoutAttention(rows, workflow);
  const reason = rows.attention
    .filter(({ ended_at: endedAt }) => endedAt === null)
    .map(({ sentence }) => sentence)
    .join(' ');
  const payout = rows.payout?.status === 'sent' ? ` ${payoutSentence(rows.payout)}` : '';
  return `Operations, since ${instant(since)}, because: ${reason}${payout}${stopOf(rows)}`;
}

function waitingWithoutAttention(rows: StoryRows, workflow: Known): string {
  switch (parseIntentStatus(rows.intent.status)) {
    case 'created':
      return waitingToConfirm(rows, workflow);
    case 'authorized':
      return waitingToSettle(rows) + stopOf(rows);
    case 'captured':
    case 'failed':
    case 'expired':
    case 'refunded':
    case 'cancelled':
      return waitingForWebhook(rows);
  }
}

function waitingToConfirm({ intent }: StoryRows, workflow: Known): string {
  const { expires_at: deadline, now } = intent;
  if (now < deadline) {
    const { unfinished_since: since, is_queue_polled: isPolled } = workflow ?? {};
    const came = since && `A worker, to carry out a confirm that came at ${instant(since)}`;
    if (came) return `${came}.${MAY_BE_PAID}${hint(since, now)}`;
    const payer = `The payer, to confirm until ${instant(deadline)}`;
    if (isPolled === true) return `${payer}.`;
    return `${payer}; or, if a confirm came, a worker, to carry it out.${MAY_BE_PAID}`;
  }
  return `A worker, to record the outcome: the deadline was ${instant(deadline)}.${hint(deadline, now)}`;
}

/** A confirm that was answered with 503 is carried out once a worker is there. */
const MAY_BE_PAID = ' It may still be paid: the payer must not pay in another way.';

function waitingToSettle(rows: StoryRows): string {
  const { payout } = rows;
  if (payout === null) return waitingForWorker(rows);
  if (payout.status !== 'sent') return `A worker, to record the payout as ${payout.status}.`;
  return `The provider, to answer the payout, ${sendingOf(payout)}.`;
}

function stopOf({ intent }: StoryRows): string {
  return intent.are_payouts_stopped ? ' Payouts are stopped: "payctl payouts show" says why.' : '';
}

function waitingForWorker({ intent, transitions, entries }: StoryRows): string {
  const debitKey = stepKey(knownIntentId(intent.intent_id), 'debit');
  const debit = entries.find(({ transfer_key }) => transfer_key === debitKey);
  const authorized = transitions.find(({ to }) => to === 'authorized');
  const since = debit?.at ?? authorized?.at ?? intent.now;
  if (debit !== undefined && intent.are_payouts_stopped) {
    return `Payouts to be allowed again; it was debited at ${instant(since)}.`;
  }
  const step = debit === undefined ? 'debit the funds-holding account' : 'send the payout';
  return `A worker, to ${step}, since ${instant(since)}.${hint(since, intent.now)}`;
}

function waitingForWebhook({ intent, events }: StoryRows): string {
  if (intent.pruned_at !== null) {
    return `Nothing. Its history was deleted by "payctl data prune" at ${instant(intent.pruned_at)}.`;
  }
  const pending = events.filter(({ state }) => state === 'pending');
  if (pending.length > 0) return pending.map(deliveryOf).join(' ');
  const lost = events.filter(({ state }) => state === 'exhausted' || state === 'skipped');
  return ['Nothing.', ...lost.map(lossOf)].join(' ');
}

function deliveryOf({ type, attempt_count, due_at, is_endpoint_disabled }: EventRow): string {
  if (is_endpoint_disabled) {
    return `The partner's endpoint, which is disabled, to be enabled again for ${type}.`;
  }
  const attempts =
    attempt_count === 0 ? 'no attempt has ended yet' : `${times(attempt_count)} so far`;
  const next = due_at === null ? '' : `, the next due at ${instant(due_at)}`;
  return `The partner's endpoint, to accept ${type}: ${attempts}${next}.`;
}

function lossOf({ event_id, type, state, attempt_count, is_endpoint_disabled }: EventRow): string {
  if (state === 'exhausted') {
    return `The partner did not accept ${type}: exhausted after ${times(attempt_count)}.`;
  }
  const disabled = is_endpoint_disabled ? 'is disabled: once it is enabled' : 'was disabled:';
  return `${type} was skipped, because the partner's endpoint ${disabled} "payctl webhooks replay ${event_id}" sends it.`;
}

/** An attempt may only query the provider, and send nothing (decision 105). */
function sendingOf({ attempts, first_attempt_at, last_sent_at, accepted_at }: PayoutRow): string {
  const accepted =
    accepted_at === null ? '' : `, accepted by the provider at ${instant(accepted_at)}`;
  if (attempts === 1 && last_sent_at !== null) return `sent at ${instant(last_sent_at)}${accepted}`;
  const sent = last_sent_at === null ? 'not sent' : `last sent at ${instant(last_sent_at)}`;
  return `${sent}${accepted}, after ${times(attempts)} since ${instant(first_attempt_at)}`;
}

function payoutSentence(payout: PayoutRow): string {
  return `The payout was ${sendingOf(payout)}.`;
}

function times(attempts: number): string {
  return attempts === 1 ? 'one attempt' : `${attempts} attempts`;
}

function hint(since: Date, now: Date): string {
  return now.getTime() - since.getTime() > OVERDUE_AFTER_MS ? ' Is a worker running?' : '';
}

function instant(at: Date): string {
  return at.toISOString();
}
