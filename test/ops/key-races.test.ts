// At most three active keys, whoever comes at the same moment and by whatever way (spec, "A partner may hold up to 3 active
// keys at once"; decision 27).
import { issueKey, listKeys, revokeKey } from '../../src/ops/signing-keys';
import { startApp } from '../support/app';
import {
  countOf,
  openTestBed,
  recogniseErrorsOfNode,
  times,
  type TestBed,
} from '../support/builders';
import { aPartner, type TestPartner } from '../support/partner';
import { runPayctl, statusOfSigned } from './payctl';
import { untilBlocked } from '../support/until-blocked';

recogniseErrorsOfNode();

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed({ poolSize: 20 });
});
afterAll(() => bed.close());

const ACTIVE = `select count(*) from signing_keys where partner_id = $1 and revoked_at is null`;
const activeKeysOf = (partner: TestPartner) => countOf(bed, ACTIVE, [partner.partner_id]);

const insertKey = `insert into signing_keys (key_id, partner_id, environment, secret_sealed, slot)
                   values ($2, $1, 'sandbox', '\\x00', $3)`;

describe('twenty keys issued at once for one partner', () => {
  it('leave three active, all of which authenticate, and refuse the others with a sentence', async () => {
    const partner = await aPartner(bed);
    const issued = await Promise.allSettled(
      Array.from({ length: 20 }, () => issueKey(bed, partner.partner_id)),
    );
    const made = issued.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refusals = issued.flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : [],
    );
    expect(made.map(({ key_id }) => key_id).sort()).toEqual([
      `${partner.partner_id}_sandbox_2026q2`,
      `${partner.partner_id}_sandbox_2026q3`,
    ]);
    expect(refusals).toHaveLength(18);
    expect(new Set(refusals.map((text) => text.slice(0, 30))).size).toBe(1);
    expect(refusals[0]).toMatch(/^Refusal: Partner .* holds 3 active keys/);
    expect(await activeKeysOf(partner)).toBe(3);

    const app = await startApp(bed);
    const statuses = [partner, ...made].map((key) => statusOfSigned(app, bed, key));
    expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
    await app.close();
  });

  it('go on while others revoke, and never make a fourth or the same one twice', async () => {
    const partner = await aPartner(bed);
    const rotate = async () => {
      const issued = await issueKey(bed, partner.partner_id).catch(() => undefined);
      if (issued !== undefined) await revokeKey(bed.database, issued.key_id);
      return issued?.key_id;
    };
    const ids = (await times(20, rotate)).filter((id) => id !== undefined);
    expect(new Set(ids).size).toBe(ids.length);
    const listed = await listKeys(bed.database, partner.partner_id);
    expect(listed).toHaveLength(1 + ids.length);
    expect(listed.map(({ key_id }) => key_id)).toEqual(expect.arrayContaining(ids));
    expect(await activeKeysOf(partner)).toBe(1);
  });

  it('are of no concern to the keys of other partners', async () => {
    const partners = await times(10, () => aPartner(bed));
    const issued = await times(10, (index) => issueKey(bed, partners[index]?.partner_id ?? ''));
    expect(issued.map(({ key_id }) => key_id).sort()).toEqual(
      partners.map(({ partner_id }) => `${partner_id}_sandbox_2026q2`).sort(),
    );
  });
});

it('two commands at once for one partner issue two keys', async () => {
  const partner = await aPartner(bed);
  const command = ['keys', 'issue', partner.partner_id, '--json'];
  const ran = await times(2, () => runPayctl(bed, command));
  expect(ran.map(({ code }) => code)).toEqual([0, 0]);
  const ids = ran.map(({ stdout }) => (JSON.parse(stdout) as { readonly key_id: string }).key_id);
  expect(ids.sort()).toEqual([
    `${partner.partner_id}_sandbox_2026q2`,
    `${partner.partner_id}_sandbox_2026q3`,
  ]);
});

describe('a statement that goes past payctl', () => {
  it.each([
    [1, 'signing_keys_three_active'],
    [4, 'slot_is_one_of_three'],
    [0, 'slot_is_one_of_three'],
  ])('cannot put a fourth active key into slot %i', async (slot, constraint) => {
    const partner = await aPartner(bed);
    await issueKey(bed, partner.partner_id);
    await issueKey(bed, partner.partner_id);
    const values = [partner.partner_id, `${partner.partner_id}-fourth`, slot];
    await expect(bed.database.query({ text: insertKey, values })).rejects.toMatchObject({
      constraint,
    });
    expect(await activeKeysOf(partner)).toBe(3);
  });

  it('and takes the slot meanwhile makes payctl refuse with a sentence', async () => {
    const partner = await aPartner(bed);
    const issuing = await bed.database.inTransaction(async (connection) => {
      // Without its triggers, this transaction does not take the lock that payctl's commands wait for.
      await connection.query({ text: 'set local session_replication_role = replica' });
      const values = [partner.partner_id, `${partner.partner_id}-by-hand`, 2];
      await connection.query({ text: insertKey, values });
      const issue = issueKey(bed, partner.partner_id).then(String, String);
      await untilBlocked(connection);
      return { outcome: issue };
    });
    expect(await issuing.outcome).toBe(
      `Refusal: The keys of partner ${partner.partner_id} were changed by somebody else at the same moment. Nothing was issued: look at them with payctl keys list ${partner.partner_id}, and repeat.`,
    );
    expect(await activeKeysOf(partner)).toBe(2);
  });
});
