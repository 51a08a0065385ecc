// Port payment-runner over the Temporal client. What it reports only says whether reading the rows is worth it (R2).
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { Log } from '../ports/log';
import type { PaymentRunner, RunnerAnswer } from '../ports/payment-runner';
import type { PaymentStart } from '../domain/intents/payment-start';
import {
  cancelUpdate,
  cancelUpdateId,
  confirmUpdate,
  confirmUpdateId,
  paymentWorkflowId,
} from '../../workflows/messages/messages';
import { callUntil, hasGrpcCode } from './connection';
import { startNewPayment, type NewStarts } from './payment-start';
import type { StartQueue } from './start-queue';

interface PaymentRunnerOptions extends NewStarts {
  readonly starts: StartQueue;
  readonly log: Log;
}

export function createPaymentRunner(options: PaymentRunnerOptions): PaymentRunner {
  const { client, starts, log } = options;
  const handleOf = ({ intentId }: PaymentStart) =>
    client.workflow.getHandle(paymentWorkflowId(intentId));
  /** Asks; where there is no run, starts it and asks once more. */
  const ask = async (
    payment: PaymentStart,
    deadline: AbortSignal,
    update: () => Promise<unknown>,
  ) => {
    try {
      await callUntil(client, deadline, update).catch(async (error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        await callUntil(client, deadline, () => startNewPayment(options, payment));
        await callUntil(client, deadline, update);
      });
      return 'answered';
    } catch (error) {
      return answerOf(error, { log, intentId: payment.intentId, isGivenUp: deadline.aborted });
    }
  };
  return {
    begin: (payment) => {
      starts.add(payment);
    },
    confirm: (payment, token, { waitForOutcome, deadline }) =>
      ask(payment, deadline, () =>
        handleOf(payment).executeUpdate(confirmUpdate, {
          args: [{ token, waitForOutcome }],
          updateId: confirmUpdateId(token.jtiHash),
        }),
      ),
    cancel: (payment, nonce, deadline) =>
      ask(payment, deadline, () =>
        handleOf(payment).executeUpdate(cancelUpdate, { updateId: cancelUpdateId(nonce) }),
      ),
  };
}

interface Circumstances {
  readonly log: Log;
  readonly intentId: string;
  readonly isGivenUp: boolean;
}

/** What says that the run has done what it will do: a rejection by it, and that it has completed, before or meanwhile. */
const ANSWERS = [
  WorkflowUpdateFailedError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
];

function answerOf(error: unknown, { log, intentId, isGivenUp }: Circumstances): RunnerAnswer {
  if (ANSWERS.some((answer) => error instanceof answer)) return 'answered';
  if (isExhausted(error)) return 'busy';
  const about = { intent_id: intentId };
  if (isDropped(error)) {
    log.warn({ err: error, ...about }, 'Temporal dropped a question to the run');
    return 'busy';
  }
  // The usual end for a payment that takes longer than its confirm waits: the rows tell the rest.
  if (isGivenUp) log.info(about, 'the run was not waited for any longer');
  else log.warn({ err: error, ...about }, 'Temporal gave no answer');
  return 'no_answer';
}

/** Ten updates are in flight already (Temporal's limit for one run). */
function isExhausted(error: unknown): boolean {
  return hasGrpcCode(causeOf(error), 'RESOURCE_EXHAUSTED');
}

/**
 * What Temporal says when it read the run anew from its database, and when a task of the run failed. A run whose tasks go on failing
 * is told in other words, from the third on: it is not asked for ten seconds.
 */
const DROPPED = [
  'workflow update was aborted',
  'Unable to perform workflow execution update due to unexpected workflow task failure',
];

/** Temporal is there, and has forgotten the question. The codes are those of a server that is away too: only its words tell. */
function isDropped(error: unknown): boolean {
  const cause = causeOf(error);
  if (!isGrpcServiceError(cause)) return false;
  const isCode = hasGrpcCode(cause, 'UNAVAILABLE', 'ABORTED', 'FAILED_PRECONDITION');
  return isCode && DROPPED.some((words) => cause.details.startsWith(words));
}

/** The SDK wraps what Temporal said. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
}
