// Message handlers of a payment's workflow. The validator rejects what the phase does not accept;
// the handler queues a request and waits until the main coroutine has answered it.
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  log,
  setHandler,
} from '@temporalio/workflow';
import { isSettled } from '../../src/domain/intents/transitions';
import {
  decode,
  parseOperatorConfirm,
  requireClosing,
  requireConfirmRequest,
  requireResolution,
  undecoded,
} from './arguments';
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
  type MessageReply,
  type Resolution,
  type ResolutionReply,
} from './messages';
import { repeatAttention, type Payment } from '../payment';
import { permitClosing } from '../steps';
import { NOT_NOW, type PendingCancel, type PendingConfirm, type PendingResolution } from '../phase';

export function acceptMessages(payment: Payment): void {
  setHandler(confirmUpdate, (request) => nonCancellable(() => onConfirm(payment, request)), {
    validator: (request) => {
      requireConfirmRequest(request);
      rejectUnless(payment.phase.name === 'waiting', NOT_OPEN, STATE_FORBIDS);
    },
  });
  setHandler(cancelUpdate, () => nonCancellable(() => onCancel(payment)), {
    validator: () => {
      rejectUnless(isCancellable(payment), NOT_OPEN, STATE_FORBIDS);
    },
  });
  setHandler(resolvePayoutUpdate, (request) => nonCancellable(() => onResolve(payment, request)), {
    validator: (resolution) => {
      requireResolution(resolution);
      const isAccepted = resolutionsOf(payment) !== undefined;
      rejectUnless(isAccepted, NOT_WAITING, 'The payment does not wait for operations');
    },
  });
  setHandler(
    closeLostUpdate,
    (closing) =>
      nonCancellable(async () => {
        const missing = () => payment.row.missing;
        if (missing() === null) return false;
        const isPermitted = await permitClosing(payment.input.intentId, closing);
        const lost = isPermitted ? missing() : null;
        if (lost !== null) lost.closing = closing;
        return lost !== null;
      }),
    {
      validator: (closing) => {
        requireClosing(closing);
        const isClosable = payment.row.missing?.isClosable === true;
        rejectUnless(isClosable, ROW_NOT_MISSING, 'The workflow does not wait for its row');
      },
    },
  );
  acceptSignals(payment);
}

function acceptSignals(payment: Payment): void {
  setHandler(undecoded(operatorConfirmSignal), (argument) => {
    const operator = parseOperatorConfirm(decode(argument));
    if (operator === undefined) {
      log.warn('ignored a confirm signal without operator and reason');
      return;
    }
    addConfirm(payment, { kind: 'confirm', operator, isAnswered: false, isAuthorizer: false });
  });
  setHandler(undecoded(resumeSignal), (by) => {
    payment.resumes.all += 1;
    if (decode(by) === BY_OPERATIONS) payment.resumes.byOperations += 1;
    const { isAttentionRepeated } = payment;
    return isAttentionRepeated ? undefined : nonCancellable(() => repeatAttention(payment));
  });
}

async function onConfirm(
  payment: Payment,
  { token, waitForOutcome }: ConfirmRequest,
): Promise<MessageReply> {
  const request: PendingConfirm = {
    kind: 'confirm',
    token,
    isAnswered: false,
    isAuthorizer: false,
  };
  if (addConfirm(payment, request)) await condition(() => request.isAnswered);
  if (request.isAuthorizer && waitForOutcome) {
    await condition(() => isSettled(payment.status) || payment.attention.length > 0);
  }
  return { status: payment.status };
}

/** False if the intent is not open any more: the confirm comes too late. */
function addConfirm({ phase }: Payment, request: PendingConfirm): boolean {
  if (phase.name !== 'waiting') return false;
  phase.requests.push(request);
  return true;
}

async function onCancel(payment: Payment): Promise<MessageReply> {
  const request: PendingCancel = { kind: 'cancel', isAnswered: false };
  const queue = cancelsOf(payment);
  queue?.push(request);
  if (queue !== undefined) await condition(() => request.isAnswered);
  return { status: payment.status };
}

const CANCEL_AGAIN_AFTER_MS = 30_000;

/**
 * After a rejected cancel the next is accepted 30 s later: Temporal limits the updates of a
 * workflow.
 */
function isCancellable(payment: Payment): boolean {
  if (Date.now() < payment.cancelRejectedAtMs + CANCEL_AGAIN_AFTER_MS) return false;
  return cancelsOf(payment) !== undefined;
}

function cancelsOf({ phase }: Payment): { push(request: PendingCancel): unknown } | undefined {
  switch (phase.name) {
    case 'waiting':
      return phase.requests;
    case 'debiting':
    case 'delayed':
      return phase.cancels;
    case 'paying':
    case 'watching':
    case 'settled':
      return undefined;
  }
}

/** Resolutions are verified one after the other, until one is written. */
async function onResolve(payment: Payment, resolution: Resolution): Promise<ResolutionReply> {
  const queue = resolutionsOf(payment);
  const rejection = queue === undefined ? NOT_NOW : undefined;
  const request: PendingResolution = { kind: 'resolution', resolution, rejection };
  queue?.push(request);
  await condition(() => request.rejection !== undefined);
  return { status: payment.status, rejection: request.rejection ?? null };
}

function resolutionsOf({ phase }: Payment): PendingResolution[] | undefined {
  return phase.name === 'watching' || phase.name === 'delayed' ? phase.resolutions : undefined;
}

const STATE_FORBIDS = 'The state of the intent does not allow it';

function rejectUnless(isAllowed: boolean, type: string, message: string): void {
  if (!isAllowed) throw ApplicationFailure.nonRetryable(message, type);
}

function nonCancellable<Result>(run: () => Promise<Result>): Promise<Result> {
  return CancellationScope.nonCancellable(run);
}
