// What the first request fixes in the payout's row (decision 151).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { aDebitedIntent } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { beginAttempt, recordSentAgain } from '../../support/payments/payouts';
import { withDatabase, withPartner } from '../../support/brackets';
import { ACCOUNT, TERMS } from '../../support/payments/accounts';
import { recorded } from '../../support/payments/answers';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const debited = () => aDebitedIntent(bed, partner);
const begin = ({ intentId }: PaymentIntent) => beginAttempt(bed, intentId);
const watch = (change: string) =>
  bed.database.query({ text: `update restore_watch set ${change}` });
const sendAgain = ({ intentId }: PaymentIntent, number: number) =>
  recordSentAgain(bed, intentId, number);

describe('a check that forbids the first request', () => {
  const UNSENT = { ...recorded('unpaid'), isUnsent: true };
  const ends = async ({ intentId }: PaymentIntent, number: number) => {
    await bed.payoutJournal.recordAnswer(intentId, number, UNSENT);
    const end = { intentId, from: 'authorized', event: 'fail', actor: 'system' } as const;
    return (await bed.intents.transition(end)).outcome;
  };

  it('ends a payment whose payout was never requested', async () => {
    const intent = await debited();
    await begin(intent);
    await expect(ends(intent, 1)).resolves.toBe('did');
  });

  it('is not recorded of a payout that was requested', async () => {
    const intent = await debited();
    await begin(intent);
    await sendAgain(intent, 1);
    await begin(intent);
    await expect(ends(intent, 2)).resolves.toBe('not_queried');
  });

  it('is not recorded where a request may be forgotten', async () => {
    const intent = await debited();
    await begin(intent);
    await watch('timeline_changed_at = service_now()');
    await expect(ends(intent, 1)).resolves.toBe('not_queried');
    await watch('timeline_changed_at = null');
  });
});

describe('a later request', () => {
  it('is not recorded for another account than that of the first request', async () => {
    const intent = await debited();
    await begin(intent);
    await sendAgain(intent, 1);
    await bed.setNow(secondsAfter(NOON, 6));
    await expect(begin(intent)).resolves.toMatchObject({ order: { account: ACCOUNT } });
    const other = { ...TERMS, account: 'other' };
    const { intentId } = intent;
    const toOther = bed.payoutJournal.recordSending(intentId, 2, intent, other);
    await expect(toOther).resolves.toBeUndefined();
    await expect(sendAgain(intent, 2)).resolves.toMatchObject({ order: { account: ACCOUNT } });
  });

  it('has the account, the amount and the bound of the cost that the first one fixed', async () => {
    const intent = await debited();
    await begin(intent);
    await sendAgain(intent, 1);
    await bed.setNow(secondsAfter(NOON, 6));
    await begin(intent);
    const dearer = { ...TERMS, maxCostUsdCents: 2 };
    await bed.payoutJournal.recordSending(intent.intentId, 2, intent, dearer);
    const { rows } = await bed.database.query({
      text: 'select requests, account, max_cost_usd_cents from payouts where intent_id = $1',
      values: [intent.intentId],
    });
    const fixed = { account: ACCOUNT, max_cost_usd_cents: TERMS.maxCostUsdCents };
    expect(rows).toEqual([{ requests: 2, ...fixed }]);
  });
});
