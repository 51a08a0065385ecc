// After confirm: debit, pay out, capture; and every way in which one of them can fail
// (architecture, section 3, "Settlement").
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
 * Brings an authorized payment to a terminal status. The holding account, the provider or an
 * operator decides it, never a timer. Returns the manual resolution if that decided it.
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
    // A missing row is back, and its debit may be lost. Each step has a key, so a repeat moves
    // nothing.
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
    // If it may have been paid, a resume signal makes the workflow try the debit again.
    if (await isUnpaid(payment))
      await writeOutcome(payment, { event: 'fail', reason: 'insufficient_funds', actor: 'system' });
  } else if (debit === 'not_authorized') {
    await followRow(payment);
  } else {
    const { phase } = payment;
    const isCancelled =
      phase.name === 'debiting' && (await isCancelledBeforePayout(payment, phase, authorization));
    // Nothing may be awaited here: a cancel that came meanwhile would be accepted too late
    // (decision 25).
    if (!isCancelled) return payOutAndConclude(payment);
  }
  return undefined;
}

/**
 * False if an earlier attempt may have debited and paid, restored rows may not know it, and the
 * provider does not deny it. Then the payment needs attention until a resume signal.
 */
async function isUnpaid(payment: Payment): Promise<boolean> {
  if (!payment.mayHaveBeenSent) return true;
  setCurrentDetails('Querying the provider for the payout: the holding account has too little.');
  showStatus(payment);
  await untilNothingIsUnderWay(Date.now());
  if (await isKnownUnpaid(orderOf(payment))) return true;
  const seen = payment.resumes.all;
  await raiseAttention(payment, TOO_LITTLE_AND_MAY_BE_PAID);
  await condition(() => payment.resumes.all > seen);
  return false;
}

const TOO_LITTLE_AND_MAY_BE_PAID =
  'The holding account has too little for the debit, and the provider does not deny the payout. Fund the account, then resume the payment.';

async function payOutAndConclude(payment: Payment): Promise<Resolution | undefined> {
  for (;;) {
    const payout = await payOutWhenAllowed(payment);
    if (payout.outcome !== 'resolved') {
      await concludePayout(payment, payout);
      return undefined;
    }
    const { request } = payout.verified;
    request.rejection = await writeResolution(payment, payout.verified);
    if (request.rejection === null) return request.resolution;
    if (request.rejection !== ATTEMPT_BEGAN) return undefined;
  }
}

/** Debits where the authorize did not, or where that may be lost. One key allows one debit. */
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
      return writeOutcome(payment, { event: 'capture', actor: 'system' });
    case 'declined':
      return writeOutcome(payment, { event: 'fail', reason: 'payout_declined', actor: 'system' });
    case 'not_authorized':
      return followRow(payment);
  }
}

/**
 * Writes a manual resolution with its operator and evidence. Returns why it was not written, or
 * null.
 */
async function writeResolution(
  payment: Payment,
  { request, payoutAttempts }: Verified,
): Promise<string | null> {
  const { outcome, actor, evidence } = request.resolution;
  const resolvedAs = { actor, reason: resolvedReason(evidence), resolvedAs: outcome } as const;
  if (outcome === 'paid') {
    await writeOutcome(payment, { event: 'capture', ...resolvedAs });
    return null;
  }
  setCurrentDetails('Failing: an operator has resolved the payout as declined.');
  const ifAttemptsAre = payoutAttempts === null ? {} : { payoutAttempts };
  const { status } = await record(payment, { event: 'fail', ...resolvedAs, ...ifAttemptsAre });
  if (status === 'authorized') return ATTEMPT_BEGAN;
  await followRow(payment);
  if (payment.status === 'failed') return null;
  // An attempt that was still on its way captured it first.
  return isSettled(payment.status) ? ALREADY_SETTLED : ROW_WAS_MISSING;
}

const ATTEMPT_BEGAN =
  'Since the query to the provider an attempt has begun, or the provider has accepted the payout. Repeat the command.';
const ROW_WAS_MISSING =
  'The row of the payment was missing meanwhile, so it is being settled again. Repeat the command.';

/**
 * Writes the terminal status, and captures or releases the debit in the same transaction.
 * Idempotent.
 */
async function writeOutcome(
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
 * For a row that rejected a step: adopts its terminal status, or else waits for an operator.
 * Returns without one if the row has the workflow's status again, after it was missing or after a
 * resume signal.
 */
async function followRow(payment: Payment): Promise<void> {
  let returnsSeen = payment.row.returns;
  while (!isSettled(payment.status)) {
    const row = await readRow(payment);
    if (isSettled(row.status) && isReachable(payment.status, row.status)) {
      adopt(payment, row);
      return;
    }
    if (row.status === payment.status && payment.row.returns > returnsSeen) return;
    // After a resume signal any row with the workflow's status counts.
    returnsSeen = -1;
    const contradiction = `The payment is authorized, but its row says ${row.status}.`;
    await waitForOperations(payment, contradiction, row.status);
  }
}
