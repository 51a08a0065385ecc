// Attempts at payouts, by the terms of the intent's own row.
import type { IntentId } from '../../../src/domain/ids';
import type { PayoutAttempt, PayoutSending } from '../../../src/ports/payouts/journal';
import { findExisting, type TestBed } from '../builders';

/** Records the first sending; undefined where that is not allowed. */
export async function recordSent(
  bed: TestBed,
  intentId: IntentId,
): Promise<PayoutSending | undefined> {
  return bed.payoutJournal.recordFirstSending(intentId, await findExisting(bed, intentId));
}

/** Begins an attempt that queries first. */
export async function beginAttempt(bed: TestBed, intentId: IntentId): Promise<PayoutAttempt> {
  return bed.payoutJournal.beginAttempt(intentId, await findExisting(bed, intentId));
}

/** Records what an attempt sends that has queried. */
export async function recordSentAgain(
  bed: TestBed,
  intentId: IntentId,
  number: number,
): Promise<PayoutSending | undefined> {
  return bed.payoutJournal.recordSending(intentId, number, await findExisting(bed, intentId));
}
