// A workflow whose row is missing (decision 127). If it was started for a committed row, Postgres
// has lost commits: payouts stop, and the workflow waits until the row is back or an operator
// closes it. Otherwise the workflow fails.
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { PaymentStart } from '../src/domain/intents/payment-start';
import {
  CLOSED_BY_OPERATIONS,
  NEEDS_ATTENTION,
  NOT_A_PAYMENT,
  type LostPaymentClosing,
} from './messages/messages';
import { writeSearchAttributes } from './messages/search-attributes';
import { reportMissingRow } from './steps';

/** The type of the activities' failure (activities/failures.ts). */
const ROW_MISSING = 'RowMissing';

const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;
/** Each wait is longer by a random part up to this, so that many workflows do not read at once. */
const SPREAD = 0.5;

/** The row that a workflow belongs to. */
export interface RowPresence {
  /** Changes if the row was lost and created again. */
  createdAtMs: number;
  /** How often it was missing and came back. */
  returns: number;
  missing: MissingRow | null;
}

interface MissingRow {
  /** False while the row is read. */
  isClosable: boolean;
  /** Set by an operator who has found out what happened to the payment. */
  closing: LostPaymentClosing | null;
}

interface RowOwner {
  readonly input: PaymentStart;
  readonly attention: readonly unknown[];
  readonly resumes: { readonly all: number };
  readonly row: RowPresence;
}

/**
 * Repeats a step until its row exists. The timer between two tries holds no worker slot.
 * @param beforeWait called when the row is found missing
 * @throws ApplicationFailure, which ends the workflow, if no row was ever committed or an operator
 * closes it
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
      `There is no intent ${intentId}. The service did not start this workflow. No money was moved.`,
      NOT_A_PAYMENT,
    );
  }
  setCurrentDetails(
    `**Needs attention:** Postgres lost the row of this payment. All payouts are stopped. See docs/restore.md; \`payctl intents close-lost ${intentId}\` ends this workflow.`,
  );
  writeSearchAttributes([{ key: NEEDS_ATTENTION, value: true }]);
  return { isClosable: false, closing: null };
}

function reportRowIsBack({ row, attention }: RowOwner): void {
  row.missing = null;
  row.returns += 1;
  setCurrentDetails('The row of this payment is back.');
  writeSearchAttributes([{ key: NEEDS_ATTENTION, value: attention.length > 0 }]);
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
  // The workflow fails instead of completing: then a repeated create can start another one for the
  // same id.
  throw ApplicationFailure.nonRetryable(`Closed by ${actor}: ${evidence}`, CLOSED_BY_OPERATIONS);
}

/**
 * A local activity's failure arrives as it is; a regular activity's is the cause of an
 * ActivityFailure.
 */
function isRowMissing(error: unknown): boolean {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.type === ROW_MISSING;
}
