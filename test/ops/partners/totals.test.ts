// `payctl partners totals`: payments of a period, counted and added up.
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import { anIntent } from '../../support/builders';
import { usdCents } from '../../../src/domain/money';
import { NOON, secondsAfter } from '../../support/clock';
import { addIntents } from '../../support/cost/query-plans';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { jsonOf, rejection, runPayctl, textOf } from '../../support/programs/payctl';
import { withDatabase } from '../../support/brackets';

const bed = withDatabase();
let acme: TestPartner;
beforeAll(async () => {
  acme = await aPartner(bed, { name: 'acme' });
  const other = await aPartner(bed, { name: 'other' });
  const at = async (seconds: number, partner: TestPartner, cents: number, status: IntentStatus) => {
    await bed.setNow(secondsAfter(NOON, seconds));
    await anIntent(bed, partner, { status, amountUsdCents: usdCents(cents) });
  };
  await at(0, acme, 1_000, 'captured');
  await at(10, acme, 250, 'captured');
  await at(10, acme, 99, 'failed');
  await at(10, other, 7, 'captured');
  await at(20, acme, 50_000, 'captured');
});

const totals = (...args: readonly string[]) => runPayctl(bed, ['partners', 'totals', ...args]);
const time = (seconds: number) => secondsAfter(NOON, seconds).toISOString();

it('adds up by corridor and status, from the first time to before the second', async () => {
  const period = ['acme', '--since', time(0), '--until', time(20)] as const;
  expect(jsonOf(await totals(...period, '--json'))).toEqual([
    { corridor: 'th_qrpay', status: 'captured', payments: 2, amount_usd_cents: 1_250 },
    { corridor: 'th_qrpay', status: 'failed', payments: 1, amount_usd_cents: 99 },
  ]);
  expect(textOf(await totals(...period))).toBe(
    [
      'corridor  status    payments  amount',
      'th_qrpay  captured  2         12.50 USD',
      'th_qrpay  failed    1         0.99 USD',
      '',
    ].join('\n'),
  );
});

it('adds up over several pages', async () => {
  await addIntents(bed.database, acme.partnerId, 50_000);
  const found = jsonOf(await totals('acme', '--json')) as readonly { readonly payments: number }[];
  expect(found.reduce((sum, { payments }) => sum + payments, 0)).toBe(50_004);
});

it('says that there is none, and rejects an unknown partner', async () => {
  expect(textOf(await totals('other', '--since', time(60)))).toBe('There is no such payment.\n');
  expect(await totals('nobody')).toEqual(rejection('There is no partner nobody.'));
});
