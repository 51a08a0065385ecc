// A workflow whose row is not there (decision 127). Started for a committed row, that proves that Postgres lost commits: payouts
// stop, and the workflow waits until the row is back or operations close it. Any other start fails.
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { PaymentStart } from '../src/domain/intents/payment-start';
import {
  CLOSED_BY_OPERATIONS,
  NEEDS_ATTENTION,
  NOT_A_PAYMENT,
  type LostPaymentClosing,
} from './messages/messages';
import { reportMissingRow } from './steps';

/** The type of the activities' failure (activities/failures.ts). */
const ROW_MISSING = 'RowMissing';

const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;
/** Workflows that found no row together do not read again together: each waits up to this part of its wait longer. */
const SPREAD = 0.5;

/** The row that a workflow belongs to. */
export interface RowState {
  /** Another once the row was lost and created again. */
  createdAtMs: number;
  /** How often it was missing and came back. */
  returns: number;
  missing: MissingRow | null;
}

interface MissingRow {
  /** False while the row is read. */
  isClosable: boolean;
  /** Set by operators, who know what became of the payment. */
  closing: LostPaymentClosing | null;
}

interface RowOwner {
  readonly input: PaymentStart;
  readonly attention: string | null;
  readonly resumes: { readonly all: number };
  readonly row: RowState;
}

/**
 * Repeats a step until its row is there. A timer waits in between, which holds no slot of a worker.
 * @param beforeWait called when the row is found missing
 * @throws ApplicationFailure, which ends the workflow, when no row was ever committed or operations close it
 */
export async function withRow<Result>(
  payment: RowOwner,
  step: () => Promise<Result>,
  beforeWait: () => void,
): Promise<Result> {
  const { row } = payment;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      const result = await step();
      if (row.missing !== null) reportRowIsBack(payment);
      return result;
    } catch (error) {
      if (!isRowMissing(error)) throw error;
    }
    beforeWait();
    row.missing ??= await reportRowIsMissing(payment);
    await untilReadAgain(payment, row.missing, waitMs);
  }
}

async function reportRowIsMissing({ input }: RowOwner): Promise<MissingRow> {
  const { intentId } = input;
  if (!(await reportMissingRow(input))) {
    throw ApplicationFailure.nonRetryable(
      `There is no intent ${intentId}. This workflow was not started by the service, so nothing was lost and nothing was moved.`,
      NOT_A_PAYMENT,
    );
  }
  setCurrentDetails(
    `**Needs attention:** Postgres lost the row of this payment. All payouts are stopped. See docs/restore.md; \`payctl intents close-lost ${intentId}\` ends this workflow.`,
  );
  upsertSearchAttributes([{ key: NEEDS_ATTENTION, value: true }]);
  return { isClosable: false, closing: null };
}

function reportRowIsBack({ row, attention }: RowOwner): void {
  row.missing = null;
  row.returns += 1;
  setCurrentDetails('The row of this payment is back.');
  upsertSearchAttributes([{ key: NEEDS_ATTENTION, value: attention !== null }]);
}

async function untilReadAgain(
  { resumes }: RowOwner,
  missing: MissingRow,
  waitMs: number,
): Promise<void> {
  const resumesSeen = resumes.all;
  const isOver = () => missing.closing !== null || resumes.all > resumesSeen;
  const spreadMs = Math.round(waitMs * (1 + Math.random() * SPREAD));
  missing.isClosable = true;
  await condition(isOver, spreadMs, { summary: 'The row is missing: read again' });
  missing.isClosable = false;
  if (missing.closing === null) return;
  const { actor, evidence } = missing.closing;
  // Failed, and not completed: a create that is repeated under its idempotency key can start another workflow.
  throw ApplicationFailure.nonRetryable(`Closed by ${actor}: ${evidence}`, CLOSED_BY_OPERATIONS);
}

/** A local activity fails as itself, a regular one as the cause of its failure. */
function isRowMissing(error: unknown): boolean {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.type === ROW_MISSING;
}
