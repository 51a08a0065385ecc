// Payout attempts with the terms of the intent's row.
import type { IntentId } from '../../../src/domain/ids';
import type { PayoutAttempt, PayoutSending } from '../../../src/ports/payouts';
import { findExisting, type TestBed } from '../builders';
import { TERMS } from './accounts';

/** Records the first sending; undefined if it is not allowed. */
export async function recordSent(
  bed: TestBed,
  intentId: IntentId,
): Promise<PayoutSending | undefined> {
  const terms = await findExisting(bed, intentId);
  return bed.payoutJournal.recordFirstSending(intentId, terms, TERMS);
}

/** Begins an attempt that queries the provider first. */
export async function beginAttempt(
  bed: TestBed,
  intentId: IntentId,
  mayBegin = true,
): Promise<PayoutAttempt> {
  return bed.payoutJournal.beginAttempt(intentId, await findExisting(bed, intentId), mayBegin);
}

/** Begins an attempt, and returns its number. */
export async function beginNumbered(bed: TestBed, intentId: IntentId): Promise<number> {
  const attempt = await beginAttempt(bed, intentId);
  if (attempt.kind !== 'begun') throw new Error(`the attempt was not begun: ${attempt.kind}`);
  return attempt.number;
}

/** Records the sending of an attempt that has queried the provider. */
export async function recordSentAgain(
  bed: TestBed,
  intentId: IntentId,
  number: number,
): Promise<PayoutSending | undefined> {
  const terms = await findExisting(bed, intentId);
  return bed.payoutJournal.recordSending(intentId, number, terms, TERMS);
}
