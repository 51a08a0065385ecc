// Port payment-runner over the Temporal client. What it reports only says whether reading the rows is worth it (R2).
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import type { Clock } from '../ports/clock';
import type { Log } from '../ports/log';
import type { PaymentRunner, RunnerAnswer } from '../ports/payment-runner';
import type { PaymentStart } from '../domain/payment-start';
import {
  cancelUpdate,
  cancelUpdateId,
  confirmUpdate,
  confirmUpdateId,
  paymentWorkflowId,
} from '../../workflows/messages';
import { callUntil, hasGrpcCode } from './connection';
import { startNewPayment, type NewStarts } from './payment-start';
import type { StartQueue } from './start-queue';

interface PaymentRunnerOptions {
  readonly client: Client;
  readonly starts: StartQueue;
  readonly rows: NewStarts['rows'];
  readonly clock: Clock;
  readonly log: Log;
}

export function createPaymentRunner({
  client,
  starts,
  rows,
  clock,
  log,
}: PaymentRunnerOptions): PaymentRunner {
  const ask = (payment: PaymentStart, deadline: AbortSignal, update: () => Promise<unknown>) => {
    const start = () => startNewPayment({ client, rows }, payment, clock.now());
    return askRun((call) => callUntil(client, deadline, call), { update, start }).catch(
      (error: unknown): RunnerAnswer => {
        const intent = { intent_id: payment.intentId };
        if (isDropped(error)) {
          log.warn({ err: error, ...intent }, 'Temporal dropped a question to the run');
          return 'busy';
        }
        // The usual end for a payment that takes longer than its confirm waits: the rows tell the rest.
        if (deadline.aborted) log.info(intent, 'the run was not waited for any longer');
        else log.warn({ err: error, ...intent }, 'Temporal gave no answer');
        return 'no_answer';
      },
    );
  };
  return {
    begin: (payment) => {
      starts.add(payment);
    },
    confirm: (payment, token, { waitForOutcome, deadline }) =>
      ask(payment, deadline, () =>
        client.workflow
          .getHandle(paymentWorkflowId(payment.intentId))
          .executeUpdate(confirmUpdate, {
            args: [{ token, waitForOutcome }],
            updateId: confirmUpdateId(token.jtiHash),
          }),
      ),
    cancel: (payment, nonce, deadline) =>
      ask(payment, deadline, () =>
        client.workflow.getHandle(paymentWorkflowId(payment.intentId)).executeUpdate(cancelUpdate, {
          updateId: cancelUpdateId(nonce),
        }),
      ),
  };
}

interface RunCalls {
  readonly update: () => Promise<unknown>;
  readonly start: () => Promise<void>;
}

/** Asks; where there is no run, starts it and asks once more. */
async function askRun(
  bounded: (call: () => Promise<unknown>) => Promise<unknown>,
  { update, start }: RunCalls,
): Promise<RunnerAnswer> {
  try {
    await bounded(update);
    return 'answered';
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) return answerOf(error);
  }
  try {
    await bounded(start);
    await bounded(update);
    return 'answered';
  } catch (error) {
    return answerOf(error);
  }
}

/** A refusal by the run is an answer, and so is a run that has completed, before or meanwhile: the rows say the rest. */
function answerOf(error: unknown): RunnerAnswer {
  if (error instanceof WorkflowUpdateFailedError) return 'answered';
  if (error instanceof WorkflowExecutionAlreadyStartedError) return 'answered';
  if (error instanceof WorkflowNotFoundError) return 'answered';
  if (isExhausted(error)) return 'busy';
  throw error;
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
