// A workflow whose row is not there (decision 127). Started for a committed row, that proves that Postgres lost commits: payouts
// stop, and the workflow waits until the row is back or operations close it. Any other start fails.
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { PaymentStart } from '../src/domain/payment-start';
import {
  CLOSED_BY_OPERATIONS,
  NEEDS_ATTENTION,
  NOT_A_PAYMENT,
  type LostPaymentClosing,
} from './messages';
import { reportMissingRow } from './steps';

/** The type of the activities' failure (activities/failures.ts). */
const ROW_MISSING = 'RowMissing';

const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;
/** Workflows that found no row together do not read again together: each waits up to this part of its wait longer. */
const SPREAD = 0.5;

/** What of a payment its missing row concerns. */
interface RowOwner {
  readonly input: PaymentStart;
  readonly attention: string | null;
  readonly resumes: number;
  readonly closed: LostPaymentClosing | null;
  isRowMissing: boolean;
  rowReturns: number;
  isClosable: boolean;
}

/**
 * Repeats a step until its row is there. A timer waits in between, which holds no slot of a worker.
 * @throws ApplicationFailure, which ends the workflow, when no row was ever committed or operations close it
 */
export async function withRow<Result>(
  payment: RowOwner,
  step: () => Promise<Result>,
): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      const result = await step();
      if (payment.isRowMissing) noteRowIsBack(payment);
      return result;
    } catch (error) {
      if (!isRowMissing(error)) throw error;
    }
    if (!payment.isRowMissing) await noteRowIsMissing(payment);
    await untilReadAgain(payment, waitMs);
  }
}

async function noteRowIsMissing(payment: RowOwner): Promise<void> {
  const { intentId } = payment.input;
  if (!(await reportMissingRow(payment.input))) {
    throw ApplicationFailure.nonRetryable(
      `There is no intent ${intentId}. This workflow was not started by the service, so nothing was lost and nothing was moved.`,
      NOT_A_PAYMENT,
    );
  }
  payment.isRowMissing = true;
  setCurrentDetails(
    `**Needs attention:** Postgres lost the row of this payment. All payouts are stopped. See docs/restore.md; \`payctl intents close-lost ${intentId}\` ends this workflow.`,
  );
  upsertSearchAttributes([{ key: NEEDS_ATTENTION, value: true }]);
}

function noteRowIsBack(payment: RowOwner): void {
  payment.isRowMissing = false;
  payment.rowReturns += 1;
  setCurrentDetails('The row of this payment is back.');
  upsertSearchAttributes([{ key: NEEDS_ATTENTION, value: payment.attention !== null }]);
}

async function untilReadAgain(payment: RowOwner, waitMs: number): Promise<void> {
  const { resumes } = payment;
  const isOver = () => payment.closed !== null || payment.resumes > resumes;
  const spreadMs = Math.round(waitMs * (1 + Math.random() * SPREAD));
  payment.isClosable = true;
  await condition(isOver, spreadMs, { summary: 'The row is missing: read again' });
  payment.isClosable = false;
  if (payment.closed === null) return;
  const { actor, evidence } = payment.closed;
  // Failed, and not completed: a create that is repeated under its idempotency key can start another workflow.
  throw ApplicationFailure.nonRetryable(`Closed by ${actor}: ${evidence}`, CLOSED_BY_OPERATIONS);
}

/** A local activity fails as itself, a regular one as the cause of its failure. */
function isRowMissing(error: unknown): boolean {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.type === ROW_MISSING;
}
