// What happens after confirm: debit, pay out, capture; and what if one of them fails (architecture, section 3,
// "Settlement").
import { condition, setCurrentDetails } from '@temporalio/workflow';
import { resolvedReason } from '../src/domain/intents/manual-resolution';
import { isReachable, isSettled } from '../src/domain/intents/transitions';
import { isCancelledBeforePayout, untilNothingIsUnderWay } from './cancel';
import type { Resolution } from './messages/messages';
import {
  adopt,
  raiseAttention,
  readRow,
  record,
  showStatus,
  waitForOperations,
  type Authorization,
  type Change,
  type Payment,
} from './payment';
import { orderOf, type Verified } from './payout';
import { payOutWhenAllowed, type SettledPayout } from './stopped-payout';
import { ALREADY_SETTLED } from './phase';
import { debitHoldingAccount, isKnownUnpaid } from './steps';

/**
 * Takes an authorized payment to its end: what the account, the provider or an operator says, never a timer. Returns the manual
 * resolution that ended it, if one did.
 */
export async function settle(
  payment: Payment,
  authorization: Authorization,
): Promise<Resolution | undefined> {
  let { isDebited } = authorization;
  payment.mayHaveBeenSent ||= !authorization.isOwn;
  while (!isSettled(payment.status)) {
    const resolution = await settleOnce(payment, { ...authorization, isDebited });
    if (resolution !== undefined) return resolution;
    // Unsettled where a row that was missing is back as it was. Its debit may be lost; each step has its key and does nothing twice.
    isDebited = false;
  }
  return undefined;
}

async function settleOnce(
  payment: Payment,
  authorization: Authorization,
): Promise<Resolution | undefined> {
  const debit = authorization.isDebited ? 'debited' : await debitAlone(payment);
  if (debit === 'insufficient') {
    // Of one that may be paid the debit is tried again after a resume signal.
    if (await isUnpaid(payment))
      await end(payment, { event: 'fail', reason: 'insufficient_funds', actor: 'system' });
  } else if (debit === 'not_authorized') {
    await followRow(payment);
  } else {
    const { phase } = payment;
    const isCancelled =
      phase.name === 'debiting' && (await isCancelledBeforePayout(payment, phase, authorization));
    // Nothing may be awaited between the cancels and the payout, which accepts none (decision 25).
    if (!isCancelled) return payOutToTheEnd(payment);
  }
  return undefined;
}

/**
 * False where something else may have debited it and paid it out, rows have forgotten both, and the provider does not deny it. Then it
 * needs attention, until a resume signal.
 */
async function isUnpaid(payment: Payment): Promise<boolean> {
  if (!payment.mayHaveBeenSent) return true;
  setCurrentDetails('Querying the provider for the payout: the holding account has too little.');
  showStatus(payment);
  await untilNothingIsUnderWay(Date.now());
  if (await isKnownUnpaid(orderOf(payment))) return true;
  const seen = payment.resumes.all;
  await raiseAttention(payment, TOO_LITTLE_FOR_WHAT_MAY_BE_PAID);
  await condition(() => payment.resumes.all > seen);
  return false;
}

const TOO_LITTLE_FOR_WHAT_MAY_BE_PAID =
  'The holding account has too little for the debit, and the provider does not say that it has no payout of it. Fund the account, then resume the payment.';

async function payOutToTheEnd(payment: Payment): Promise<Resolution | undefined> {
  for (;;) {
    const payout = await payOutWhenAllowed(payment);
    if (payout.outcome !== 'resolved') {
      await concludePayout(payment, payout);
      return undefined;
    }
    const { request } = payout.verified;
    request.rejection = await endAsResolved(payment, payout.verified);
    if (request.rejection === null) return request.resolution;
    if (request.rejection !== ATTEMPT_BEGAN) return undefined;
  }
}

/** A debit that the authorize did not make, or that may be lost. The account makes it once for its key. */
async function debitAlone(payment: Payment): ReturnType<typeof debitHoldingAccount> {
  const { input } = payment;
  setCurrentDetails('Debiting the funds-holding account.');
  return debitHoldingAccount(input.intentId, input.amountUsdCents, input.corridor);
}

async function concludePayout(
  payment: Payment,
  payout: Exclude<SettledPayout, { outcome: 'resolved' }>,
): Promise<void> {
  switch (payout.outcome) {
    case 'cancelled':
      return;
    case 'paid':
      if (payout.captured !== undefined) adopt(payment, payout.captured);
      return end(payment, { event: 'capture', actor: 'system' });
    case 'declined':
      return end(payment, { event: 'fail', reason: 'payout_declined', actor: 'system' });
    case 'not_authorized':
      return followRow(payment);
  }
}

/** Writes a manual resolution, its operator and evidence in the audit trail. Returns why it was not written, or null. */
async function endAsResolved(
  payment: Payment,
  { request, payoutAttempts }: Verified,
): Promise<string | null> {
  const { outcome, actor, evidence } = request.resolution;
  const resolvedAs = { actor, reason: resolvedReason(evidence), resolvedAs: outcome } as const;
  if (outcome === 'paid') {
    await end(payment, { event: 'capture', ...resolvedAs });
    return null;
  }
  setCurrentDetails('Failing, as operations declare.');
  const fenced = payoutAttempts === null ? {} : { payoutAttempts };
  const { status } = await record(payment, { event: 'fail', ...resolvedAs, ...fenced });
  if (status === 'authorized') return ATTEMPT_BEGAN;
  await followRow(payment);
  if (payment.status === 'failed') return null;
  // An attempt that was still on its way captured it first: the resolution was never written.
  return isSettled(payment.status) ? ALREADY_SETTLED : ROW_WAS_MISSING;
}

const ATTEMPT_BEGAN =
  'An attempt has begun since the provider was asked, or it has said that it has the payout. Repeat the command.';
const ROW_WAS_MISSING =
  'The row of the payment was missing meanwhile, and it is settled again. Repeat the command.';

/** Writes the end, unless it is written, with the release or the capture of the debit in the same transaction. */
async function end(
  payment: Payment,
  change: Change & { readonly event: 'capture' | 'fail' },
): Promise<void> {
  const { event, reason } = change;
  setCurrentDetails(event === 'capture' ? 'Capturing.' : `Failing: ${reason ?? 'unknown'}.`);
  while (!isSettled(payment.status)) {
    const report = await record(payment, change);
    if (isSettled(payment.status)) return;
    const contradiction = `${event} is due, but the intent's row says ${report.status}.`;
    await waitForOperations(payment, contradiction, report.status);
  }
}

/**
 * The row did not allow what this workflow believed: adopts an end that the row has, and else waits for operations. Returns
 * unsettled where the row says again what the workflow believes: it was missing meanwhile, or a resume signal had it read again.
 */
async function followRow(payment: Payment): Promise<void> {
  let returnsSeen = payment.row.returns;
  while (!isSettled(payment.status)) {
    const standing = await readRow(payment);
    if (isSettled(standing.status) && isReachable(payment.status, standing.status)) {
      adopt(payment, standing);
      return;
    }
    if (standing.status === payment.status && payment.row.returns > returnsSeen) return;
    // After a resume signal the row counts as it stands.
    returnsSeen = -1;
    const contradiction = `The payment is authorized, but its row says ${standing.status}.`;
    await waitForOperations(payment, contradiction, standing.status);
  }
}
