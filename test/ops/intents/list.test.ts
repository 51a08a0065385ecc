// `payctl intents list`: filters, and what it prints to programs and to people.
import { anIntent, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { usdCents } from '../../../src/domain/money';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { aPartner } from '../../support/payments/partner';
import { jsonOf, rejection, runPayctl, textOf } from '../../support/programs/payctl';
import { withDatabase } from '../../support/brackets';
import { anAttention } from '../../support/payments/attention';

const bed = withDatabase();
let [paid, stuck, strange]: readonly PaymentIntent[] = [];

beforeAll(async () => {
  const acme = await aPartner(bed, { name: 'acme' });
  const lotus = await aPartner(bed, { name: 'lotus' });
  paid = await anIntent(bed, acme, { status: 'captured' });
  stuck = await anIntent(bed, lotus, { status: 'authorized', corridor: 'vn_qrpay' });
  strange = await anIntent(bed, acme, { status: 'authorized' });
  await bed.intents.setAttention(stuck.intentId, anAttention('The outcome is unknown.'));
  await bed.setNow(secondsAfter(NOON, 7_200));
  await bed.intents.setAttention(strange.intentId, anAttention('The outcome is unknown.'));
  await bed.setNow(secondsAfter(NOON, 7_201));
  await bed.intents.setAttention(strange.intentId, {
    kind: 'payout_differs',
    sentence: 'The provider reports 1 cents.',
  });
  await bed.setNow(secondsAfter(NOON, 7_260));
});

const list = (...args: readonly string[]) => runPayctl(bed, ['intents', 'list', ...args]);

async function listed(...args: readonly string[]): Promise<unknown> {
  return jsonOf(await list(...args, '--json'));
}

it('prints to programs the API members, partner, deadline and attention', async () => {
  expect(await listed('--partner', 'lotus')).toEqual([
    {
      intent_id: stuck?.intentId,
      status: 'authorized',
      amount_usd_cents: 1_250,
      corridor: 'vn_qrpay',
      created_at: NOON.toISOString(),
      partner_id: 'lotus',
      expires_at: secondsAfter(NOON, 1_800).toISOString(),
      reason: null,
      attention: [
        { kind: 'payout_unknown', since: NOON.toISOString(), sentence: 'The outcome is unknown.' },
      ],
      attention_since: NOON.toISOString(),
      attention_seconds: 7_260,
    },
  ]);
});

it('prints captured_at of those that are captured', async () => {
  expect(await listed('--status', 'captured')).toMatchObject([
    { intent_id: paid?.intentId, captured_at: NOON.toISOString(), attention: [] },
  ]);
});

it('filters by a time in any offset, and respects a limit', async () => {
  expect(await listed('--since', '2026-03-02T19:00:00.001+07:00')).toEqual([]);
  expect(await listed('--since', '2026-03-02T19:00:00+07:00')).toHaveLength(3);
  expect(await listed('--limit', '2')).toHaveLength(2);
});

it('finds by amount, corridor, end of a period, and why it failed', async () => {
  const partner = await aPartner(bed, { name: 'finder' });
  const odd = { amountUsdCents: usdCents(1_999), status: 'authorized' } as const;
  const poor = await anIntent(bed, partner, odd);
  await anIntent(bed, partner, { ...odd, corridor: 'vn_qrpay' });
  await move(bed, poor.intentId, 'fail', { from: 'authorized' });
  const found = [{ intent_id: poor.intentId, reason: 'insufficient_funds' }];
  const thai = ['--amount-usd-cents', '1999', '--corridor', 'th_qrpay'] as const;
  expect(await listed(...thai)).toMatchObject(found);
  expect(await listed('--reason', 'insufficient_funds')).toMatchObject(found);
  expect(await listed(...thai, '--until', poor.createdAt.toISOString())).toEqual([]);
  expect(textOf(await list(...thai))).toContain('\n  failed: insufficient_funds\n');
});

it.each(['', '--attention'])('goes on after the last row, without a gap: %s', async (option) => {
  const args = option === '' ? [] : [option];
  const pages: unknown[] = [];
  let after: readonly string[] = [];
  for (;;) {
    const page = (await listed(...args, '--limit', '1', ...after)) as { intent_id: string }[];
    if (page.length === 0) break;
    pages.push(...page);
    after = ['--after', page[0]?.intent_id ?? ''];
  }
  expect(pages.length).toBeGreaterThan(1);
  expect(pages).toEqual(await listed(...args));
});

it('says how the list goes on, and rejects a payment that is not in it', async () => {
  expect(textOf(await list('--attention', '--limit', '1'))).toContain(
    `There may be more: repeat with --after ${String(stuck?.intentId)}.`,
  );
  expect(textOf(await list('--attention'))).not.toContain('There may be more');
  expect(await list('--attention', '--after', String(paid?.intentId))).toEqual(
    rejection(
      `${String(paid?.intentId)} needs no attention any more. Leave out --after to begin anew.`,
    ),
  );
});

it('prints to people what needs attention, the longest waiting first', async () => {
  expect(textOf(await list('--attention'))).toBe(
    `
intent                         created               status      amount
${String(stuck?.intentId)}  2026-03-02T12:00:00Z  authorized  12.50 USD
  corridor: vn_qrpay, partner: lotus
  has needed attention for 2 h, payout_unknown: The outcome is unknown.
${String(strange?.intentId)}  2026-03-02T12:00:00Z  authorized  12.50 USD
  corridor: th_qrpay, partner: acme
  has needed attention for 60 s, payout_unknown: The outcome is unknown.
  payout_differs: The provider reports 1 cents.
`.trimStart(),
  );
});

it('stays within 80 columns with the longest partner name and a long reason', async () => {
  const name = 'a-partner-with-the-longest-name-that-there-can-be-of-63-letters';
  const partner = await aPartner(bed, { name });
  const amountUsdCents = usdCents(100_000_000);
  const { intentId } = await anIntent(bed, partner, { status: 'authorized', amountUsdCents });
  await bed.intents.setAttention(
    intentId,
    anAttention('A reason that is long to read. '.repeat(9)),
  );
  const ran = await list('--partner', name);
  const lines = ran.stdout.split('\n');
  expect(lines.length).toBeGreaterThan(6);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join('').replaceAll(' ', '')).toContain('hasneededattentionfor0s,payout_unknown:A');
});

it.each([
  ['--attention --status created', 'No payment needs attention.\n'],
  ['--status refunded', 'There is no such payment.\n'],
])('prints a sentence if there is none: %s', async (options, said) => {
  expect(textOf(await list(...options.split(' ')))).toBe(said);
});
