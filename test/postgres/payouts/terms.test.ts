// What the first request fixes in the payout's row (decision 151).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { aDebitedIntent } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { beginAttempt, recordSentAgain } from '../../support/payments/payouts';
import { withDatabase, withPartner } from '../../support/brackets';
import { ACCOUNT, TERMS } from '../../support/payments/accounts';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const debited = () => aDebitedIntent(bed, partner);
const begin = ({ intentId }: PaymentIntent) => beginAttempt(bed, intentId);
const sendAgain = ({ intentId }: PaymentIntent, number: number) =>
  recordSentAgain(bed, intentId, number);

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
