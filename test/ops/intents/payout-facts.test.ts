// What the provider says of a payment, as `payctl intents show` prints it to people.
import { NO_DETAILS, recorded } from '../../support/payments/answers';
import { anIntent } from '../../support/builders';
import { NOON } from '../../support/clock';
import { runPayctl, textOf } from '../../support/programs/payctl';
import { steps } from './story-rows';
import { withDatabase, withPartner } from '../../support/brackets';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const shown = async (intentId: string) =>
  textOf(await runPayctl(bed, ['intents', 'show', intentId]));

const aSentIntent = async () => {
  const intent = await anIntent(bed, partner);
  await steps(bed, intent, 'authorize', 'debit', 'send');
  return intent;
};

/** The lines of a payout after its attempts. */
function facts(story: string): readonly string[] {
  const [, lines = ''] = /\n +attempts +\d+\n((?: +\S.*\n)+)/.exec(story) ?? [];
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/, ' '));
}

it('the payout has what the provider says of it', async () => {
  const [paid, declined] = [await aSentIntent(), await aSentIntent()];
  const terms = { ...paid, createdAtMs: +paid.createdAt };
  const local = { currency: 'THB', minor: 43_125 } as const;
  const cost = { currency: 'USDT', debited: '12.5000001', fee: '0.3', rate: '34.5' } as const;
  const details = { ...NO_DETAILS, reference: 'TX-1', local, cost, bankReference: 'B-1' };
  await bed.intents.capturePaid(paid.intentId, terms, details);
  expect(facts(await shown(paid.intentId))).toEqual([
    ...['account main', "provider's id TX-1", "bank's id B-1", 'payee gets 431.25 THB'],
    ...['cost 12.5000001 USDT, 0.3 of it the fee', 'rate 34.5'],
  ]);
  const unreadable = { ...recorded('pending'), reference: 'TX\0', bankReference: 'B-2' };
  await bed.payoutJournal.recordAnswer(declined.intentId, 1, unreadable);
  expect(facts(await shown(declined.intentId))).toEqual(['account main', "bank's id B-2"]);
  const answer = { ...recorded('unpaid'), code: 'payee_closed' } as const;
  await bed.payoutJournal.recordAnswer(declined.intentId, 1, answer);
  expect(await shown(declined.intentId)).toMatch(/because +payee_closed\n/);
});
