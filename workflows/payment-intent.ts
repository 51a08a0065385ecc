// The life of one intent: wait for confirm, cancel or the deadline, settle, send the webhook.
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { formatUsd } from '../src/domain/money';
import type { IntentStatus } from '../src/domain/intents/payment-intent';
import type { PaymentStart } from '../src/domain/intents/payment-start';
import { delayMs, endUnpaid } from './cancel';
import { paymentStartOf } from './messages/arguments';
import { acceptMessages } from './messages/handlers';
import {
  adopt,
  openPayment,
  readRow,
  record,
  recordHistoryLength,
  showStatus,
  type Authorization,
  type Payment,
} from './payment';
import { orderOf } from './payout';
import { recheck } from './payout-recheck';
import { enter, type PendingCancel, type PendingConfirm, type Waiting } from './phase';
import { settle } from './settlement';
import { announce } from './webhook-delivery';

/**
 * One workflow per intent. Temporal's own cancel has no effect: it could leave a payment half done.
 */
export async function paymentIntent(input: PaymentStart): Promise<IntentStatus> {
  const payment = openPayment(paymentStartOf(input), isFirstTaskRepeated());
  acceptMessages(payment);
  return CancellationScope.nonCancellable(async () => {
    const { phase } = payment;
    const isOpen = phase.name === 'waiting';
    const authorization = isOpen ? await decide(payment, phase.requests) : UNKNOWN_AUTHORIZATION;
    const resolution = await settle(payment, authorization);
    enter(payment, { name: 'settled' });
    showStatus(payment);
    // Beside the webhook, which may take days: a payout that arrives late must be noticed before.
    const rechecked =
      resolution && recheck({ ...orderOf(payment), resolvedAs: resolution.outcome });
    await announce(`Finished: ${payment.status}.`, payment.eventId, {
      partnerId: payment.input.partnerId,
      isFast: payment.isEndpointFast,
    });
    await rechecked;
    await condition(allHandlersFinished);
    recordHistoryLength();
    return payment.status;
  });
}

/**
 * Events in the history when the first task begins again: those of a failed attempt, and the next.
 */
const REPEATED_TASK_HISTORY_LENGTH = 6;

/**
 * An earlier attempt at the first task may have sent the payout, which restored rows may not know.
 */
function isFirstTaskRepeated(): boolean {
  return workflowInfo().historyLength >= REPEATED_TASK_HISTORY_LENGTH;
}

/** For an authorize that another execution wrote. */
const UNKNOWN_AUTHORIZATION: Authorization = { isOwn: false, isDebited: false };

/**
 * While the status is `created`: answers confirms and cancels in order, and expires at the
 * deadline.
 */
async function decide(payment: Payment, requests: Waiting['requests']): Promise<Authorization> {
  // Updates that started the workflow arrive in the same activation: accept them before setting a
  // timer.
  await Promise.resolve();
  let authorization = UNKNOWN_AUTHORIZATION;
  const deadline = { dueAtMs: payment.input.expiresAtMs };
  let resumesSeen = 0;
  while (payment.status === 'created') {
    const isWanted = () => requests.length > 0 || payment.resumes.all > resumesSeen;
    await untilWanted(payment, isWanted, deadline.dueAtMs - Date.now());
    const request = requests.shift();
    if (request !== undefined) {
      authorization = await answer(payment, request);
      // If the row turns out to be authorized, it may still be cancelled before its payout.
      if (!request.isAnswered) requests.unshift(request);
      // The next try to expire may be minutes away, and a repeat needs a definite answer.
      else if (Date.now() >= payment.input.expiresAtMs) deadline.dueAtMs = Date.now();
    } else if (payment.resumes.all > resumesSeen) {
      resumesSeen = payment.resumes.all;
      adopt(payment, await readRow(payment));
    } else {
      await expire(payment, deadline);
    }
  }
  // A cancel that came while the confirm was written is answered before the payout.
  const cancels = requests.filter((request) => request.kind === 'cancel');
  if (payment.status === 'authorized') enter(payment, { name: 'debiting', cancels });
  return authorization;
}

async function expire(payment: Payment, deadline: { dueAtMs: number }) {
  const report = await endUnpaid(payment, { event: 'expire', actor: 'system' });
  const overdueMs = Date.now() - payment.input.expiresAtMs;
  const waitMs = report.outcome === 'not_due' ? report.dueInMs : delayMs(overdueMs);
  deadline.dueAtMs = Date.now() + waitMs;
}

/**
 * The timer only proposes to expire. Postgres' clock decides; "not due" makes the workflow wait
 * again.
 */
async function untilWanted(
  payment: Payment,
  isWanted: () => boolean,
  waitMs: number,
): Promise<void> {
  if (isWanted() || waitMs <= 0) return;
  setCurrentDetails(`Waiting for the payer to confirm ${formatUsd(payment.input.amountUsdCents)}.`);
  await condition(isWanted, waitMs, { summary: 'The deadline to confirm' });
}

async function answer(
  payment: Payment,
  request: PendingConfirm | PendingCancel,
): Promise<Authorization> {
  if (request.kind === 'confirm') return confirm(payment, request);
  await cancel(payment, request);
  return UNKNOWN_AUTHORIZATION;
}

async function confirm(payment: Payment, request: PendingConfirm): Promise<Authorization> {
  const { token, operator } = request;
  const { outcome, status, isDebited } = await record(payment, {
    event: 'authorize',
    actor: 'payer',
    ...operator,
    debitUsdCents: payment.input.amountUsdCents,
    ...(token !== undefined && { token }),
  });
  request.isAuthorizer = outcome !== 'not_allowed' && status === 'authorized';
  request.isAnswered = true;
  // `same`: this step was written before, and its report was lost.
  const isWritten = outcome === 'did' || outcome === 'same';
  const isOwn = isWritten && !payment.mayHaveBeenSent && !isReset();
  return { isOwn, isDebited: isDebited === true };
}

/**
 * A reset execution does not know what the one before did, and restored rows may not know either.
 */
function isReset(): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return runId !== originalExecutionRunId;
}

async function cancel(payment: Payment, request: PendingCancel): Promise<void> {
  await endUnpaid(payment, { event: 'cancel', actor: 'partner' });
  if (payment.status === 'created') payment.cancelRejectedAtMs = Date.now();
  request.isAnswered = payment.status !== 'authorized';
}
