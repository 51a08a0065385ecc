// Port `PaymentRunner` over the Temporal client. Its result only says whether to read
// the rows now (R2).
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { IntentStore, PaymentRunner, RunnerAnswer } from '../ports/intents';
import type { Log } from '../ports/observe';
import type { PaymentStart } from '../domain/intents/payment-start';
import {
  cancelUpdate,
  cancelUpdateId,
  confirmUpdate,
  confirmUpdateId,
  paymentWorkflowId,
} from '../../workflows/messages/messages';
import { callUntil } from './connection';
import { isGone } from './ensure-workflow';
import { hasGrpcCode } from './grpc-codes';
import { isOverdue, startNewPayment, type NewStarts } from './payment-start';
import type { StartQueue } from './start-queue';

interface PaymentRunnerOptions extends NewStarts {
  readonly starts: StartQueue;
  readonly intents: IntentStore;
  readonly log: Log;
}

export function createPaymentRunner(options: PaymentRunnerOptions): PaymentRunner {
  const { client, starts, log } = options;
  const handleOf = ({ intentId }: PaymentStart) =>
    client.workflow.getHandle(paymentWorkflowId(intentId));
  /** Sends the update. Where there is no workflow, starts one if it may, and sends it once more. */
  const sendUpdate = async (
    payment: PaymentStart,
    deadline: AbortSignal,
    update: () => Promise<unknown>,
  ) => {
    try {
      await callUntil(client, deadline, update).catch(async (error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        if (!(await callUntil(client, deadline, () => mayStart(options, payment)))) throw error;
        await callUntil(client, deadline, () => startNewPayment(options, payment));
        await callUntil(client, deadline, update);
      });
      return 'answered';
    } catch (error) {
      return answerOf(error, { log, intentId: payment.intentId, hasTimedOut: deadline.aborted });
    }
  };
  return {
    begin: (payment) => starts.add(payment),
    confirm: (payment, token, { waitForOutcome, deadline, anewFor }) =>
      sendUpdate(payment, deadline, () =>
        handleOf(payment).executeUpdate(confirmUpdate, {
          args: [{ token, waitForOutcome }],
          updateId: confirmUpdateId(token.jtiHash, anewFor),
        }),
      ),
    cancel: (payment, nonce, deadline) =>
      sendUpdate(payment, deadline, () =>
        handleOf(payment).executeUpdate(cancelUpdate, { updateId: cancelUpdateId(nonce) }),
      ),
  };
}

/** A payment past its deadline is expired by the deadline poller. */
async function mayStart(options: PaymentRunnerOptions, payment: PaymentStart): Promise<boolean> {
  return !isOverdue(payment, options.clock.now()) && !(await isGone(options, payment));
}

interface Circumstances {
  readonly log: Log;
  readonly intentId: string;
  readonly hasTimedOut: boolean;
}

/**
 * These errors say that the workflow does nothing more about the update: it has rejected it, or it
 * has completed.
 */
const ANSWERS = [
  WorkflowUpdateFailedError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
];

function answerOf(error: unknown, { log, intentId, hasTimedOut }: Circumstances): RunnerAnswer {
  if (ANSWERS.some((answer) => error instanceof answer)) return 'answered';
  // The SDK wraps the error of the server.
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  // Ten updates are in flight already, or Temporal has dropped this one while it is up.
  if (hasGrpcCode(cause, 'RESOURCE_EXHAUSTED', 'ABORTED')) return 'busy';
  const about = { intent_id: intentId };
  // The usual case of a payment that takes longer than its confirm waits: the caller reads the
  // rows.
  if (hasTimedOut) log.info(about, 'stopped waiting for the workflow');
  else log.warn({ err: error, ...about }, 'Temporal gave no answer');
  return 'no_answer';
}
