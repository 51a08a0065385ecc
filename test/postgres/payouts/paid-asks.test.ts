// Queries after a capture: when each is due, and what an answer raises (decision 152).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { QueryAnswer } from '../../../src/ports/payout-provider';
import { createPaidAsks } from '../../../src/postgres/payouts/paid-asks';
import { createReturnWatch } from '../../../src/main/worker/return-watch';
import { withDatabase, withPartner } from '../../support/brackets';
import { aDebitedIntent, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import {
  DECLINED,
  NOT_FOUND,
  PENDING,
  paidIn,
  recorded,
  returnedIn,
} from '../../support/payments/answers';
import { recordSent } from '../../support/payments/payouts';
import { scriptedProviders } from '../../support/payments/scripted-provider';
import { SILENT } from '../../support/silent-log';

const bed = withDatabase();
const partner = withPartner(bed);

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

async function aSent(): Promise<PaymentIntent> {
  await bed.setNow(NOON);
  const intent = await aDebitedIntent(bed, partner);
  await recordSent(bed, intent.intentId);
  return intent;
}

async function aCaptured(): Promise<PaymentIntent> {
  const intent = await aSent();
  await move(bed, intent.intentId, 'capture');
  return intent;
}

/** Its debit was released on a decline of the provider. */
async function aDeclined(actor = 'system'): Promise<PaymentIntent> {
  const intent = await aSent();
  const { payoutJournal } = bed;
  await payoutJournal.recordAnswer(intent.intentId, 1, { ...recorded('unpaid'), isDeclined: true });
  await move(bed, intent.intentId, 'fail', { actor });
  return intent;
}

/** Polls at these seconds after the capture, and returns the seconds at which it was queried. */
async function polledAt(
  seconds: readonly number[],
  answers: readonly QueryAnswer[],
  declineIsFinal = true,
) {
  const queried: number[] = [];
  const left = [...answers];
  for (const after of seconds) {
    await bed.setNow(secondsAfter(NOON, after));
    const { th_qrpay: scripted } = scriptedProviders([], []);
    const provider = {
      ...scripted,
      abilities: { ...scripted.abilities, declineIsFinal },
      find: () => {
        queried.push(after);
        return Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? NOT_FOUND);
      },
    };
    const providers = { th_qrpay: provider, vn_qrpay: provider };
    const asks = createPaidAsks(bed.database);
    await createReturnWatch({
      providers,
      formerProviders: {},
      asks,
      queriesPerSecond: 20,
      log: SILENT,
    }).poll('th_qrpay');
  }
  return queried;
}

async function raised({ intentId }: PaymentIntent, kind = 'returned') {
  const { rows } = await bed.database.query<{ readonly sentence: string }>({
    text: `select sentence from attention where intent_id = $1 and kind = $2 and ended_at is null`,
    values: [intentId, kind],
  });
  return rows.map(({ sentence }) => sentence);
}

/** No other test's payment is due. */
afterEach(() => bed.database.query({ text: 'update payouts set ask_at = null' }));

it('a captured payment is queried after a minute, an hour, a day, and then daily for 30 days', async () => {
  await aCaptured();
  const due = [MINUTE, HOUR, DAY, 2 * DAY, 29 * DAY, 30 * DAY];
  const early = [MINUTE - 1, HOUR - 1, DAY - 1, 2 * DAY - 1];
  const moments = [...due, ...early, 31 * DAY, 60 * DAY].sort((one, other) => one - other);
  await expect(polledAt(moments, [paidIn(1_250)])).resolves.toEqual(due);
});

it('a payment that is not captured is not queried', async () => {
  await bed.setNow(NOON);
  await recordSent(bed, (await aDebitedIntent(bed, partner)).intentId);
  await expect(polledAt([MINUTE, HOUR], [PENDING])).resolves.toEqual([]);
});

it.each([
  [
    'returned',
    returnedIn(1_250),
    ['The payment was captured, and now the provider says returned.'],
  ],
  ['declined', DECLINED, ['The payment was captured, and now the provider says declined.']],
  ['paid', paidIn(1_250), []],
  ['pending', PENDING, []],
  ['not_found', NOT_FOUND, []],
  ['unknown', { outcome: 'unknown', cause: 'silence' } as const, []],
] as const)('the answer %s leaves it captured, and raises what it says', async (...row) => {
  const [, answer, sentences] = row;
  const intent = await aCaptured();
  await polledAt([MINUTE], [answer]);
  await expect(raised(intent)).resolves.toEqual(sentences);
  await expect(bed.intents.find(intent.intentId)).resolves.toMatchObject({ status: 'captured' });
});

it('an acknowledged return is not raised again, and paid after it is', async () => {
  const intent = await aCaptured();
  const acknowledge = () =>
    bed.database.query({
      text: `update attention set ended_at = service_now(), ended_by = 'ann' where intent_id = $1
                and ended_at is null`,
      values: [intent.intentId],
    });
  await polledAt([MINUTE], [returnedIn(1_250)]);
  await acknowledge();
  await polledAt([HOUR], [returnedIn(1_250)]);
  await expect(raised(intent)).resolves.toEqual([]);
  await polledAt([DAY], [paidIn(1_250)]);
  await expect(raised(intent)).resolves.toEqual([expect.stringContaining('paid again')]);
});

it('a refunded payment is queried too: paid after a return needs people', async () => {
  const intent = await aCaptured();
  await polledAt([MINUTE], [returnedIn(1_250)]);
  await move(bed, intent.intentId, 'refund');
  await expect(raised(intent)).resolves.toEqual([]);
  await polledAt([HOUR], [paidIn(1_250)]);
  await expect(raised(intent)).resolves.toHaveLength(1);
});

describe('a payment that failed on a decline of the provider', () => {
  const moments = [MINUTE - 1, MINUTE, HOUR - 1, HOUR, DAY - 1, DAY, 2 * DAY, 30 * DAY];

  it('is queried for a day, if the provider may revoke the decline', async () => {
    const failed = await aDeclined();
    await expect(polledAt(moments, [DECLINED], false)).resolves.toEqual([MINUTE, HOUR, DAY]);
    await expect(raised(failed)).resolves.toEqual([]);
  });

  it('is queried once, if its declines are final', async () => {
    await aDeclined();
    await expect(polledAt(moments, [DECLINED])).resolves.toEqual([MINUTE]);
  });

  it('needs people once the provider says paid, stays failed, and is queried no more', async () => {
    const failed = await aDeclined();
    const answers = [DECLINED, paidIn(1_250)];
    await expect(polledAt(moments, answers, false)).resolves.toEqual([MINUTE, HOUR]);
    await expect(raised(failed, 'paid_not_captured')).resolves.toEqual([
      'The payment failed, and now the provider says paid.',
    ]);
    await expect(bed.intents.find(failed.intentId)).resolves.toMatchObject({ status: 'failed' });
  });

  it('needs nobody where the money left and came back', async () => {
    const failed = await aDeclined();
    await polledAt(moments, [returnedIn(1_250)], false);
    await expect(raised(failed)).resolves.toEqual([]);
    await expect(raised(failed, 'paid_not_captured')).resolves.toEqual([]);
  });

  it('is not queried where an operator has resolved it: its recheck is', async () => {
    await aDeclined('ann');
    await expect(polledAt(moments, [DECLINED], false)).resolves.toEqual([]);
  });
});

describe('whether money came back, for the cause of a refund', () => {
  const asked = ({ intentId }: PaymentIntent, answer: QueryAnswer['outcome']) =>
    createPaidAsks(bed.database).recordReturn(intentId, answer);

  it.each([
    ...(['returned', 'declined'] as const).map((answer) => [answer, true] as const),
    ...(['paid', 'pending', 'not_found', 'unknown'] as const).map(
      (answer) => [answer, false] as const,
    ),
  ])('is what the provider says: %s', async (answer, isReturned) => {
    await expect(asked(await aCaptured(), answer)).resolves.toBe(isReturned);
  });

  it('is what it said before, while it is silent; but not if it says paid', async () => {
    const intent = await aCaptured();
    await polledAt([MINUTE], [returnedIn(1_250)]);
    await expect(asked(intent, 'unknown')).resolves.toBe(true);
    await expect(asked(intent, 'paid')).resolves.toBe(false);
  });

  it('of a payment that is not captured is false', async () => {
    await expect(asked(await aSent(), 'returned')).resolves.toBe(false);
  });

  it('is in the row, so that paid after the refund needs people', async () => {
    const intent = await aCaptured();
    await asked(intent, 'returned');
    await move(bed, intent.intentId, 'refund');
    await polledAt([MINUTE], [paidIn(1_250)]);
    await expect(raised(intent)).resolves.toEqual([expect.stringContaining('paid again')]);
  });
});

it('two workers at once query each payment once', async () => {
  await Promise.all([aCaptured(), aCaptured()]);
  await bed.setNow(secondsAfter(NOON, MINUTE));
  const asks = createPaidAsks(bed.database);
  const claims = await Promise.all([asks.claimDue('th_qrpay', 20), asks.claimDue('th_qrpay', 20)]);
  expect(claims.flat()).toHaveLength(2);
  await expect(asks.claimDue('th_qrpay', 20)).resolves.toEqual([]);
});
