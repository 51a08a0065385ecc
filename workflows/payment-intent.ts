// The life of one intent: wait for confirm, cancel or the deadline, then settle, then send the webhook
// (architecture, section 3).
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
  showStatus,
  type Authorization,
  type Payment,
} from './payment';
import { recheckWithProvider } from './payout';
import { enter, type PendingCancel, type PendingConfirm, type Waiting } from './phase';
import { settle } from './settlement';
import { announce } from './webhook-delivery';

/** One workflow per intent. A native cancel changes nothing, so it costs an operator's time and never money. */
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
    // At once: a webhook may take days, and a payment that lands late must not wait for it to be noticed.
    const compared = resolution && recheckWithProvider(payment, resolution);
    // The row is terminal by now, so nothing here can delay anything but the message.
    await announce(`Finished: ${payment.status}.`, payment.eventId, {
      partnerId: payment.input.partnerId,
      isFast: payment.isEndpointFast,
    });
    await compared;
    await condition(allHandlersFinished);
    return payment.status;
  });
}

/** The events that Temporal has written when the first task begins again: one attempt, which timed out or failed, and another. */
const REPEATED_TASK_HISTORY_LENGTH = 6;

/** An earlier attempt at the first task may have sent the payout, and rows that were put back may not know it. */
function isFirstTaskRepeated(): boolean {
  return workflowInfo().historyLength >= REPEATED_TASK_HISTORY_LENGTH;
}

/** Of an authorize that another workflow wrote. */
const UNKNOWN_AUTHORIZATION: Authorization = { isOwn: false, isDebited: false };

/** Until the intent is authorized or has ended: answers confirms and cancels in their order, and expires at the deadline. */
async function decide(payment: Payment, requests: Waiting['requests']): Promise<Authorization> {
  // Updates that woke the workflow are delivered in the same activation: accept them before a timer is set.
  await Promise.resolve();
  let authorization = UNKNOWN_AUTHORIZATION;
  const deadline = { dueAtMs: payment.input.expiresAtMs, delays: 0 };
  let resumesSeen = 0;
  while (payment.status === 'created') {
    const isWanted = () => requests.length > 0 || payment.resumes.all > resumesSeen;
    await untilWanted(payment, isWanted, deadline.dueAtMs - Date.now());
    const request = requests.shift();
    if (request !== undefined) {
      authorization = await answer(payment, request);
      // A row that turns out to be authorized may still be cancelled, before its payout.
      if (!request.isAnswered) requests.unshift(request);
    } else if (payment.resumes.all > resumesSeen) {
      resumesSeen = payment.resumes.all;
      adopt(payment, await readRow(payment));
    } else {
      await expire(payment, deadline);
    }
  }
  // A cancel that came while the confirm was written is dealt with before the payout.
  const cancels = requests.filter((request) => request.kind === 'cancel');
  if (payment.status === 'authorized') enter(payment, { name: 'debiting', cancels });
  return authorization;
}

async function expire(payment: Payment, deadline: { dueAtMs: number; delays: number }) {
  const report = await endUnpaid(payment, { event: 'expire', actor: 'system' });
  if (report.outcome === 'not_due') {
    deadline.dueAtMs = Date.now() + report.dueInMs;
  } else {
    deadline.dueAtMs = Date.now() + delayMs(deadline.delays);
    deadline.delays += 1;
  }
}

/** The deadline only proposes: Postgres' clock decides it, and "not due yet" means wait the rest. */
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
  request.isAuthorizer = outcome !== 'token_refused' && status === 'authorized';
  request.isAnswered = true;
  // `same`: this step was written already, and its first report was lost.
  const isWritten = outcome === 'did' || outcome === 'same';
  const isOwn = isWritten && !payment.mayHaveBeenSent && !isReset();
  return { isOwn, isDebited: isDebited === true };
}

/** Of what the run before the reset has done it knows nothing, and nor may rows that were put back. */
function isReset(): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return runId !== originalExecutionRunId;
}

async function cancel(payment: Payment, request: PendingCancel): Promise<void> {
  await endUnpaid(payment, { event: 'cancel', actor: 'partner' });
  if (payment.status === 'created') payment.cancelRejectedAtMs = Date.now();
  request.isAnswered = payment.status !== 'authorized';
}
