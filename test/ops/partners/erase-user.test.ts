// `payctl partners erase-user`: a payer's id is gone from every table, and nothing else changes.
import { anIntent, aCreateCommand, countOf, sha256, times } from '../../support/builders';
import { withDatabase } from '../../support/brackets';
import { aPartner } from '../../support/payments/partner';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';

const bed = withDatabase();
const PAYER = 'payer-7ab4-to-forget';
const erase = (partner: string, user = PAYER) =>
  runPayctl(bed, ['partners', 'erase-user', partner, '--user', user, '--as', 'ann', '--json']);

/** In how many rows of any table the text occurs. */
async function occurrences(text: string): Promise<number> {
  const { rows } = await bed.database.query<{ readonly name: string }>({
    text: `select table_name as name from information_schema.tables
            where table_schema = 'public' and table_type = 'BASE TABLE'`,
  });
  const counts = await Promise.all(
    rows.map(({ name }) =>
      countOf(bed, `select count(*) from ${name} t where strpos(t::text, $1) > 0`, [text]),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

it('erases one payer of one partner, in all statuses', async () => {
  const [partner, other] = [await aPartner(bed), await aPartner(bed)];
  await times(3, () => anIntent(bed, partner, { partnerUserId: PAYER }));
  await anIntent(bed, partner, { partnerUserId: PAYER, status: 'captured' });
  await anIntent(bed, partner, { partnerUserId: 'another' });
  await anIntent(bed, other, { partnerUserId: PAYER });
  expect(await occurrences(PAYER)).toBe(5);
  expect(jsonOf(await erase(partner.partner_id))).toEqual({
    partner_id: partner.partner_id,
    erased: 4,
  });
  expect(await occurrences(PAYER)).toBe(1);
  expect(await occurrences('another')).toBe(1);
  expect(jsonOf(await erase(partner.partner_id))).toMatchObject({ erased: 0 });
});

it('a repeated create of an erased payer is answered as before', async () => {
  const partner = await aPartner(bed);
  const idempotency = { key: 'order-1', bodyDigest: sha256('the body') };
  const create = () =>
    bed.intents.create(aCreateCommand(partner, { partnerUserId: PAYER, idempotency }));
  const first = await create();
  await erase(partner.partner_id);
  const intent = 'intent' in first ? first.intent : undefined;
  await expect(create()).resolves.toEqual({ outcome: 'replayed', intent });
});

it('is in the audit trail without the payer, and rejects an unknown partner', async () => {
  const partner = await aPartner(bed);
  await erase(partner.partner_id);
  const { rows } = await bed.database.query({
    text: `select actor, action, details from operator_actions
            where partner_id = $1 order by action_id desc limit 1`,
    values: [partner.partner_id],
  });
  expect(rows).toEqual([{ actor: 'ann', action: 'partners erase-user', details: null }]);
  expectRejected(await erase('unknown'), 1, /unknown/);
});

it('says that no intent has the id, which may be mistyped', async () => {
  const partner = await aPartner(bed);
  const command = ['partners', 'erase-user', partner.partner_id, '--user', 'Payer-7ab4'];
  expect(textOf(await runPayctl(bed, command))).toMatch(/\n\nNo intent has this partner_user_id\./);
});
