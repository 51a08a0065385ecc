// What happens after confirm: debit, pay out, capture; and what if one of them fails (architecture, section 3,
// "Settlement").
import { formatUsd } from '../src/domain/money';
import { isReachable, isSettled } from '../src/domain/intent-transitions';
import type { PayoutResult } from '../activities/payout';
import { adopt, raiseAttention, record, tell, waitForOperations, type Payment } from './payment';
import { debitHoldingAccount, payOut, payOutSlowly, readStanding } from './steps';

/** Takes an authorized payment to its end. No timer ever ends it: it ends by what the account and the provider say. */
export async function settle(payment: Payment): Promise<void> {
  const { intentId, amountUsdCents } = payment.input;
  tell('Debiting the funds-holding account.');
  const debit = await debitHoldingAccount(intentId, amountUsdCents);
  if (debit === 'insufficient') return end(payment, 'fail', 'insufficient_funds');
  if (debit === 'not_authorized') return followRow(payment);
  if (payment.isCancelAsked && (await cancelBeforePayout(payment))) return;
  // Nothing may be awaited between that question and this line: from here on a cancel is refused (decision 25).
  payment.isPayoutSent = true;
  return concludePayout(payment, await payOutUntilKnown(payment));
}

function concludePayout(payment: Payment, result: PayoutResult): Promise<void> {
  switch (result.outcome) {
    case 'paid':
      return end(payment, 'capture', null);
    case 'declined':
      return end(payment, 'fail', 'payout_declined');
    case 'not_authorized':
      return followRow(payment);
    case 'contrary':
    case 'unknown':
    case 'pending':
      throw new Error('the payout is not known yet');
  }
}

/** Asks until the provider tells. Patience over, operations are told and it goes on asking slowly. */
async function payOutUntilKnown(payment: Payment): Promise<PayoutResult> {
  const { intentId, amountUsdCents, corridor } = payment.input;
  const order = { intentId, amountUsdCents, corridor };
  tell(`Paying out ${formatUsd(amountUsdCents)} through the provider of ${corridor}.`);
  let result = await payOut({ ...order, isAttentionRaised: false });
  while (
    result.outcome === 'unknown' ||
    result.outcome === 'pending' ||
    result.outcome === 'contrary'
  ) {
    if (result.outcome === 'contrary') {
      await waitForOperations(payment, contraryReason(payment, result.reportedUsdCents));
    } else {
      await raiseAttention(payment, WATCH_REASONS[result.outcome]);
    }
    result = await payOutSlowly({ ...order, isAttentionRaised: true });
  }
  return result;
}

const WATCH_REASONS = {
  unknown:
    'The outcome of the payout is unknown. It is asked about by key until the provider tells.',
  pending:
    'The provider has called the payout pending for an hour. It is asked about until it is over.',
};

function contraryReason({ input }: Payment, reportedUsdCents: number): string {
  return `The provider reports ${String(reportedUsdCents)} cents where ${String(input.amountUsdCents)} were ordered.`;
}

/** True when the payment is cancelled; false when the row no longer allows it, and the payout is concluded instead. */
async function cancelBeforePayout(payment: Payment): Promise<boolean> {
  tell('Cancelling: releasing the debit.');
  await record(payment, { event: 'cancel', actor: 'partner' });
  return isSettled(payment.status);
}

/** Writes the end, with the release or the capture of the debit in the same transaction. */
async function end(
  payment: Payment,
  event: 'capture' | 'fail',
  reason: string | null,
): Promise<void> {
  tell(event === 'capture' ? 'Capturing.' : `Failing: ${reason ?? 'unknown'}.`);
  while (!isSettled(payment.status)) {
    const report = await record(payment, {
      event,
      actor: 'system',
      ...(reason !== null && { reason }),
    });
    if (isSettled(payment.status)) return;
    await waitForOperations(
      payment,
      `${event} is due, but the intent's row says ${report.status}.`,
    );
  }
}

/** The row no longer allows what this run believed: it adopts an end that the row has, and else waits for people. */
async function followRow(payment: Payment): Promise<void> {
  while (!isSettled(payment.status)) {
    const standing = await readStanding(payment.input.intentId);
    if (isSettled(standing.status) && isReachable(payment.status, standing.status)) {
      adopt(payment, standing);
      return;
    }
    await waitForOperations(
      payment,
      `The payment is authorized, but its row says ${standing.status}.`,
    );
  }
}
