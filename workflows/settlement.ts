// After confirm: debit, pay out, capture; and every way in which one of them can fail
// (architecture, section 3, "Settlement").
import { condition, setCurrentDetails } from '@temporalio/workflow';
import type { Attention } from '../src/domain/intents/attention';
import { resolvedReason } from '../src/domain/intents/manual-resolution';
import { INSUFFICIENT_FUNDS, type RowState } from '../src/domain/intents/transition';
import { isReachable, isSettled, nextStatus } from '../src/domain/intents/transitions';
import { endUnpaid, isCancelledBeforePayout } from './cancel';
import type { Resolution } from './messages/messages';
import {
  adopt,
  readRow,
  record,
  waitForOperations,
  type Authorization,
  type Change,
  type Payment,
} from './payment';
import { payOutWhenAllowed, type SettledPayout } from './stopped-payout';
import { ALREADY_SETTLED } from './phase';
import { debitHoldingAccount } from './steps';

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
    await failForWantOfMoney(payment);
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
 * If an earlier attempt may have debited and paid, restored rows may not know it, and the provider
 * does not deny it, the payment needs attention. A resume signal makes the workflow try the debit
 * again.
 */
async function failForWantOfMoney(payment: Payment): Promise<void> {
  const { resumes } = payment;
  const seen = resumes.all;
  const change = { event: 'fail', reason: INSUFFICIENT_FUNDS, actor: 'system' } as const;
  const { outcome } = await endUnpaid(payment, change, TOO_LITTLE_AND_MAY_BE_PAID);
  if (outcome === 'not_queried') await condition(() => resumes.all > seen);
  else await writeOutcome(payment, change);
}

const TOO_LITTLE_AND_MAY_BE_PAID: Attention = {
  kind: 'funds_short',
  sentence:
    'The holding account has too little for the debit, and the provider does not deny the payout. Fund the account, then resume the payment.',
};

async function payOutAndConclude(payment: Payment): Promise<Resolution | undefined> {
  for (;;) {
    const payout = await payOutWhenAllowed(payment);
    if (payout.outcome !== 'resolved') {
      await concludePayout(payment, payout);
      return undefined;
    }
    const { request } = payout;
    request.rejection = await writeResolution(payment, request.resolution);
    if (request.rejection === null) return request.resolution;
    if (request.rejection !== NOT_PROVEN) return undefined;
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
  { outcome, actor, evidence }: Resolution,
): Promise<string | null> {
  setCurrentDetails(`Writing that an operator has resolved the payout as ${outcome}.`);
  const event = outcome === 'paid' ? 'capture' : 'fail';
  const reason = resolvedReason(evidence);
  const { status } = await record(payment, { event, actor, reason, resolvedAs: outcome });
  if (status === 'authorized') return NOT_PROVEN;
  await followRow(payment);
  if (payment.status === nextStatus('authorized', event)) return null;
  // An attempt that was still on its way captured it first.
  return isSettled(payment.status) ? ALREADY_SETTLED : ROW_WAS_MISSING;
}

const NOT_PROVEN =
  'Since the query to the provider an attempt has begun, or the provider has accepted the payout, or Postgres has no record of this resolution. Repeat the payctl command.';
const ROW_WAS_MISSING =
  'The row of the payment was missing meanwhile, so it is being settled again. Repeat the command.';

/**
 * Writes the terminal status, and captures or releases the debit in the same transaction.
 * Idempotent. Returns without one if our rows hold no answer of the provider that permits it: then
 * the provider is queried again, and nothing is raised (decision 145).
 */
async function writeOutcome(
  payment: Payment,
  change: Change & { readonly event: 'capture' | 'fail' },
): Promise<void> {
  const { event, reason } = change;
  setCurrentDetails(event === 'capture' ? 'Capturing.' : `Failing: ${reason ?? 'unknown'}.`);
  while (!isSettled(payment.status)) {
    const report = await record(payment, change);
    if (isSettled(payment.status) || report.outcome === 'not_queried') return;
    const contradiction = `${event} is due, but the intent's row says ${report.status}.`;
    await waitForOperations(payment, contradiction, report);
  }
}

/**
 * For a row that rejected a step: adopts its terminal status, or else waits for an operator.
 * Returns without one if the row allows a payout after all, or has the workflow's status again,
 * after it was missing or after a resume signal.
 */
async function followRow(payment: Payment): Promise<void> {
  let returnsSeen = payment.row.returns;
  while (!isSettled(payment.status)) {
    const row = await readRow(payment);
    if (isSettled(row.status) && isReachable(payment.status, row.status)) {
      adopt(payment, row);
      return;
    }
    const isBack = row.status === payment.status && payment.row.returns > returnsSeen;
    if (row.isPayable || isBack) return;
    // After a resume signal any row with the workflow's status counts.
    returnsSeen = -1;
    await waitForOperations(payment, `The payment is authorized, but ${lackOf(row)}.`, row);
  }
}

function lackOf({ status, isWorkflowGone, isDebitLost }: RowState): string {
  if (isDebitLost) return 'its debit is missing';
  return `its row says ${isWorkflowGone ? 'that its workflow is gone' : status}`;
}
