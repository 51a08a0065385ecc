// The life of one intent: wait for confirm, cancel or the deadline, then settle, then tell the partner
// (architecture, section 3).
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  log,
  setHandler,
} from '@temporalio/workflow';
import { isSettled } from '../src/domain/intent-transitions';
import { formatUsd } from '../src/domain/money';
import type { IntentStatus } from '../src/domain/payment-intent';
import type { PaymentStart } from '../src/domain/payment-start';
import {
  decode,
  parseOperatorConfirm,
  requireClosing,
  requireConfirmRequest,
  requireResolution,
  undecoded,
} from './message-arguments';
import {
  BY_OPERATIONS,
  cancelUpdate,
  closeLostUpdate,
  confirmUpdate,
  NOT_OPEN,
  NOT_WAITING,
  operatorConfirmSignal,
  resolvePayoutUpdate,
  resumeSignal,
  ROW_NOT_MISSING,
  type ConfirmRequest,
  type LostPaymentClosing,
  type MessageReply,
  type Resolution,
  type ResolutionReply,
} from './messages';
import {
  adopt,
  openPayment,
  readRow,
  record,
  tell,
  type Ask,
  type Payment,
  type ResolutionAsk,
} from './payment';
import { delayOf, endUnpaid } from './end-unpaid';
import { paymentStartOf } from './payment-input';
import { compareWithProvider, DECIDED } from './payout';
import { settle } from './settlement';
import { deliver } from './webhook-delivery';

/** One run per intent; a native cancel changes nothing, so it costs an operator's time and never money. */
export async function paymentIntent(input: PaymentStart): Promise<IntentStatus> {
  const payment = openPayment(paymentStartOf(input));
  acceptMessages(payment);
  return CancellationScope.nonCancellable(async () => {
    await untilDecided(payment);
    if (payment.status === 'authorized') await settle(payment);
    const declared = payment.resolving?.resolution;
    // At once: a webhook may take days, and a payment that lands late must not wait for it to be noticed.
    const compared = declared && compareWithProvider(payment, declared);
    await announce(payment);
    await compared;
    await condition(allHandlersFinished);
    return payment.status;
  });
}

/** The one coroutine that writes the status of a created intent: handlers ask, this decides in order. */
async function untilDecided(payment: Payment): Promise<void> {
  // Updates that woke the run are delivered in the same activation: let them in before any timer is set.
  await Promise.resolve();
  let dueAtMs = payment.input.expiresAtMs;
  let resumesSeen = 0;
  while (payment.status === 'created') {
    await untilAsked(payment, resumesSeen, dueAtMs - Date.now());
    const ask = payment.asks.shift();
    if (ask !== undefined) {
      await decide(payment, ask);
    } else if (payment.resumes > resumesSeen) {
      resumesSeen = payment.resumes;
      adopt(payment, await readRow(payment));
    } else {
      const report = await endUnpaid(payment, { event: 'expire', actor: 'system' });
      dueAtMs = Date.now() + (report.outcome === 'not_due' ? report.dueInMs : delayOf(payment));
    }
  }
  for (const late of payment.asks.splice(0)) {
    late.isAnswered = true;
    // It was let in before the confirm was written, so it comes before the payout.
    if (late.event === 'cancel') payment.isCancelAsked = true;
  }
}

/** The deadline only proposes: Postgres' clock decides it, and "not due yet" means wait the rest. */
async function untilAsked(payment: Payment, resumesSeen: number, waitMs: number): Promise<void> {
  const isAsked = () => payment.asks.length > 0 || payment.resumes > resumesSeen;
  if (isAsked() || waitMs <= 0) return;
  tell(`Waiting for the payer to confirm ${formatUsd(payment.input.amountUsdCents)}.`);
  await condition(isAsked, waitMs, { summary: 'The deadline to confirm' });
}

async function decide(payment: Payment, ask: Ask): Promise<void> {
  const isConfirm = ask.event === 'authorize';
  const report = isConfirm
    ? await record(payment, {
        event: 'authorize',
        actor: 'payer',
        ...ask.operator,
        debitUsdCents: payment.input.amountUsdCents,
        ...(ask.token !== undefined && { token: ask.token }),
      })
    : await endUnpaid(payment, { event: 'cancel', actor: 'partner' });
  if (!isConfirm && payment.status === 'created') payment.cancelRefusedAtMs = Date.now();
  ask.isAuthorizer =
    isConfirm && report.outcome !== 'token_refused' && report.status === 'authorized';
  ask.isAnswered = true;
}

/** The row is terminal by now, so what happens here can delay nothing but the message. */
async function announce(payment: Payment): Promise<void> {
  tell(`Finished: ${payment.status}.`);
  if (payment.eventId === null) return;
  tell(`Finished: ${payment.status}. Telling the partner by webhook.`);
  const isDone = await deliver(payment.eventId, payment.input.partnerId);
  tell(`Finished: ${payment.status}. The webhook has ${isDone ? '' : 'not '}been dealt with.`);
}

function acceptMessages(payment: Payment): void {
  setHandler(confirmUpdate, (request) => nonCancellable(() => onConfirm(payment, request)), {
    validator: (request: ConfirmRequest) => {
      requireConfirmRequest(request);
      rejectUnless(payment.status === 'created', NOT_OPEN, STATE_FORBIDS);
    },
  });
  setHandler(cancelUpdate, () => nonCancellable(() => onCancel(payment)), {
    validator: () => {
      rejectUnless(isCancellable(payment), NOT_OPEN, STATE_FORBIDS);
    },
  });
  setHandler(
    resolvePayoutUpdate,
    (resolution) => nonCancellable(() => onResolve(payment, resolution)),
    {
      validator: (resolution: Resolution) => {
        requireResolution(resolution);
        rejectUnless(payment.isResolvable, NOT_WAITING, 'The payment does not wait for operations');
      },
    },
  );
  setHandler(
    closeLostUpdate,
    (closing) => {
      payment.closed = closing;
      return null;
    },
    {
      validator: (closing: LostPaymentClosing) => {
        requireClosing(closing);
        rejectUnless(payment.isClosable, ROW_NOT_MISSING, 'It does not wait for its row');
      },
    },
  );
  acceptSignals(payment);
}

function acceptSignals(payment: Payment): void {
  setHandler(undecoded(operatorConfirmSignal), (argument) => {
    const operator = parseOperatorConfirm(decode(argument));
    if (operator === undefined) {
      log.warn('ignored a confirm signal that names no operator and no reason');
      return;
    }
    // The same guard as for the payer's confirm: what comes too late asks for nothing.
    if (payment.status !== 'created') return;
    payment.asks.push({ event: 'authorize', operator, ...UNANSWERED });
  });
  setHandler(undecoded(resumeSignal), (by) => {
    payment.resumes += 1;
    if (decode(by) === BY_OPERATIONS) payment.resumesByOperations += 1;
  });
}

const UNANSWERED = { isAnswered: false, isAuthorizer: false };

async function onConfirm(payment: Payment, request: ConfirmRequest): Promise<MessageReply> {
  const ask: Ask = { event: 'authorize', token: request.token, ...UNANSWERED };
  await answered(payment, ask);
  if (ask.isAuthorizer && request.waitForOutcome) {
    await condition(() => isSettled(payment.status) || payment.attention !== null);
  }
  return { status: payment.status };
}

async function onCancel(payment: Payment): Promise<MessageReply> {
  if (payment.status === 'created') await answered(payment, { event: 'cancel', ...UNANSWERED });
  if (payment.status === 'authorized') {
    const { cancelsJudged } = payment;
    payment.isCancelAsked = true;
    const isJudged = () => payment.isPayoutDecided || payment.cancelsJudged > cancelsJudged;
    await condition(() => isSettled(payment.status) || isJudged());
  }
  return { status: payment.status };
}

/** The first decision counts: others wait until it is written or refused. */
async function onResolve(payment: Payment, resolution: Resolution): Promise<ResolutionReply> {
  const isFree = () => payment.resolving === null || isSettled(payment.status);
  while (!isFree()) await condition(isFree);
  if (!payment.isResolvable) {
    return { status: payment.status, refusal: isSettled(payment.status) ? DECIDED : NOT_NOW };
  }
  const ask: ResolutionAsk = { resolution, isJudged: false, refusal: null, payoutAttempts: null };
  payment.resolving = ask;
  await condition(() => ask.isJudged);
  await condition(() => ask.refusal !== null || isSettled(payment.status));
  return { status: payment.status, refusal: ask.refusal };
}

const NOT_NOW = 'The payment does not wait for operations at this moment. Repeat the command.';

async function answered(payment: Payment, ask: Ask): Promise<void> {
  payment.asks.push(ask);
  await condition(() => ask.isAnswered);
}

const CANCEL_AGAIN_AFTER_MS = 30_000;

/** Each that is let in counts against what Temporal takes of one run: what could not be cancelled is not tried at once again. */
function isCancellable(payment: Payment): boolean {
  if (Date.now() < payment.cancelRefusedAtMs + CANCEL_AGAIN_AFTER_MS) return false;
  return (
    payment.status === 'created' || (payment.status === 'authorized' && !payment.isPayoutDecided)
  );
}

const STATE_FORBIDS = 'The state of the intent does not allow it';

function rejectUnless(isAllowed: boolean, type: string, message: string): void {
  if (!isAllowed) throw ApplicationFailure.nonRetryable(message, type);
}

function nonCancellable<Result>(run: () => Promise<Result>): Promise<Result> {
  return CancellationScope.nonCancellable(run);
}
