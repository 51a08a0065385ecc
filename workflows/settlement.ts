// What happens after confirm: debit, pay out, capture; and what if one of them fails (architecture, section 3,
// "Settlement").
import { resolvedReason } from '../src/domain/declared-payout';
import { isReachable, isSettled } from '../src/domain/intent-transitions';
import {
  adopt,
  readRow,
  record,
  tell,
  waitForOperations,
  type Change,
  type Payment,
  type ResolutionAsk,
} from './payment';
import { cancelBeforePayout } from './cancel';
import { DECIDED, refuse, type Resolved } from './payout';
import { payOutWhenAllowed, type SettledPayout } from './payout-hold';
import { debitHoldingAccount } from './steps';

/** Takes an authorized payment to its end. No timer ever ends it: it ends by what the account and the provider say. */
export async function settle(payment: Payment): Promise<void> {
  // Again where a row that was missing is back as it was: each step has its key, and does nothing twice.
  while (!isSettled(payment.status)) await settleOnce(payment);
}

async function settleOnce(payment: Payment): Promise<void> {
  const debit = await debited(payment);
  if (debit === 'insufficient') {
    return end(payment, { event: 'fail', reason: 'insufficient_funds', actor: 'system' });
  }
  if (debit === 'not_authorized') return followRow(payment);
  if (payment.isCancelAsked && (await cancelBeforePayout(payment)) === 'cancelled') return;
  // Nothing may be awaited between that question and this line: from here on no cancel is taken (decision 25).
  payment.isPayoutDecided = true;
  for (;;) {
    const payout = await payOutWhenAllowed(payment);
    if (payout.outcome !== 'resolved') return concludePayout(payment, payout);
    if (await endAsResolved(payment, payout.ask)) return;
  }
}

/** What the authorize did not take along, or what nobody knows of, is asked for: under its key it is made once. */
async function debited({ input, isDebited }: Payment): ReturnType<typeof debitHoldingAccount> {
  if (isDebited) return 'debited';
  tell('Debiting the funds-holding account.');
  return debitHoldingAccount(input.intentId, input.amountUsdCents, input.corridor);
}

async function concludePayout(
  payment: Payment,
  known: Exclude<SettledPayout, Resolved>,
): Promise<void> {
  switch (known.outcome) {
    case 'cancelled':
      return;
    case 'paid':
      if (known.captured !== undefined) adopt(payment, known.captured);
      return end(payment, { event: 'capture', actor: 'system' });
    case 'declined':
      return end(payment, { event: 'fail', reason: 'payout_declined', actor: 'system' });
    case 'not_authorized':
      return followRow(payment);
  }
}

/**
 * As operations declare it; who and why stand in the audit trail. False when an attempt has begun since it was judged
 * declined: nothing was written, and the provider is asked further.
 */
async function endAsResolved(payment: Payment, ask: ResolutionAsk): Promise<boolean> {
  const { outcome, actor, evidence } = ask.resolution;
  const reason = resolvedReason(evidence);
  if (outcome === 'paid') {
    await end(payment, { event: 'capture', reason, actor, declared: outcome });
    return true;
  }
  tell('Failing, as operations declare.');
  const { payoutAttempts } = ask;
  const fenced = payoutAttempts === null ? {} : { payoutAttempts };
  const declared = { event: 'fail', actor, reason, declared: outcome } as const;
  const { status } = await record(payment, { ...declared, ...fenced });
  if (status === 'authorized') {
    refuse(
      payment,
      ask,
      'An attempt has begun since the provider was asked, or it has said that it has the payout. Repeat the command.',
    );
    return false;
  }
  await followRow(payment);
  // An attempt that was given up was faster, and captured it: what was declared was never written.
  if (payment.status !== 'failed') {
    refuse(payment, ask, isSettled(payment.status) ? DECIDED : ROW_WAS_MISSING);
  }
  return true;
}

const ROW_WAS_MISSING =
  'The row of the payment was missing meanwhile, and it is settled again. Repeat the command.';

/** Writes the end, unless it is written, with the release or the capture of the debit in the same transaction. */
async function end(
  payment: Payment,
  change: Change & { readonly event: 'capture' | 'fail' },
): Promise<void> {
  const { event, reason } = change;
  tell(event === 'capture' ? 'Capturing.' : `Failing: ${reason ?? 'unknown'}.`);
  while (!isSettled(payment.status)) {
    const report = await record(payment, change);
    if (isSettled(payment.status)) return;
    const reason = `${event} is due, but the intent's row says ${report.status}.`;
    await waitForOperations(payment, reason, report.status);
  }
}

/**
 * The row no longer allowed what this run believed: it adopts an end that the row has, and else waits for people. It comes back
 * unsettled where the row says again what the run believes: it was missing meanwhile, or somebody says to look again.
 */
async function followRow(payment: Payment): Promise<void> {
  let { rowReturns } = payment;
  while (!isSettled(payment.status)) {
    const standing = await readRow(payment);
    if (isSettled(standing.status) && isReachable(payment.status, standing.status)) {
      adopt(payment, standing);
      return;
    }
    if (standing.status === payment.status && payment.rowReturns > rowReturns) {
      // What was debited may have been lost with the row.
      payment.isDebited = false;
      return;
    }
    // From here on somebody has to say so.
    rowReturns = -1;
    const reason = `The payment is authorized, but its row says ${standing.status}.`;
    await waitForOperations(payment, reason, standing.status);
  }
}
