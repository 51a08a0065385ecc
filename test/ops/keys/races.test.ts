// At most three active keys, even if several operators act at the same time (protocol 3.6; decision
// 27).
import { issueKey } from '../../../src/ops/keys/issue';
import { listKeys } from '../../../src/ops/keys/list';
import { revokeKey } from '../../../src/ops/keys/revoke';
import { startApp } from '../../support/app';
import { countOf, recogniseErrorsOfNode, times } from '../../support/builders';
import { ANN, aPartner, type TestPartner } from '../../support/payments/partner';
import { spawnPayctl, statusOfSigned } from '../../support/programs/payctl';
import { untilBlocked } from '../../support/until-blocked';
import { withDatabase } from '../../support/brackets';
import fc from 'fast-check';
import { nextKeyId } from '../../../src/ops/keys/key-ids';

recogniseErrorsOfNode();

const bed = withDatabase({ poolSize: 20 });

const ACTIVE = `select count(*) from signing_keys where partner_id = $1 and revoked_at is null`;
const activeKeysOf = (partner: TestPartner) => countOf(bed, ACTIVE, [partner.partner_id]);

const insertKey = `insert into signing_keys (key_id, partner_id, environment, secret_sealed, slot)
                   values ($2, $1, 'sandbox', '\\x00', $3)`;

describe('twenty keys issued at once for one partner', () => {
  it('leave three active keys that authenticate, and reject the others', async () => {
    const partner = await aPartner(bed);
    const issued = await Promise.allSettled(
      Array.from({ length: 20 }, () => issueKey(bed, partner.partner_id, ANN)),
    );
    const made = issued.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const rejections = issued.flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : [],
    );
    expect(made.map(({ key_id }) => key_id).sort()).toEqual([
      `${partner.partner_id}_sandbox_2026q2`,
      `${partner.partner_id}_sandbox_2026q3`,
    ]);
    expect(rejections).toHaveLength(18);
    expect(new Set(rejections.map((text) => text.slice(0, 30))).size).toBe(1);
    expect(rejections[0]).toMatch(/^Rejection: Partner .* has 3 active keys/);
    expect(await activeKeysOf(partner)).toBe(3);

    const app = await startApp(bed);
    const statuses = [partner, ...made].map((key) => statusOfSigned(app, bed, key));
    expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
    await app.close();
  });

  it('never make a fourth key or the same key twice while others are revoked', async () => {
    const partner = await aPartner(bed);
    const rotate = async () => {
      const issued = await issueKey(bed, partner.partner_id, ANN).catch(() => undefined);
      if (issued !== undefined) await revokeKey(bed.database, issued.key_id, ANN, { yes: true });
      return issued?.key_id;
    };
    const ids = (await times(20, rotate)).filter((id) => id !== undefined);
    expect(new Set(ids).size).toBe(ids.length);
    const listed = await listKeys(bed.database, partner.partner_id);
    expect(listed).toHaveLength(1 + ids.length);
    expect(listed.map(({ key_id }) => key_id)).toEqual(expect.arrayContaining(ids));
    expect(await activeKeysOf(partner)).toBe(1);
  });

  it('do not affect the keys of other partners', async () => {
    const partners = await times(10, () => aPartner(bed));
    const issued = await times(10, (index) =>
      issueKey(bed, partners[index]?.partner_id ?? '', ANN),
    );
    expect(issued.map(({ key_id }) => key_id).sort()).toEqual(
      partners.map(({ partner_id }) => `${partner_id}_sandbox_2026q2`).sort(),
    );
  });
});

it('two commands at once for one partner issue two keys', async () => {
  const partner = await aPartner(bed);
  const command = ['keys', 'issue', partner.partner_id, '--json'];
  const ran = await times(2, () => spawnPayctl(bed, command));
  expect(ran.map(({ code }) => code)).toEqual([0, 0]);
  const ids = ran.map(({ stdout }) => (JSON.parse(stdout) as { readonly key_id: string }).key_id);
  expect(ids.sort()).toEqual([
    `${partner.partner_id}_sandbox_2026q2`,
    `${partner.partner_id}_sandbox_2026q3`,
  ]);
});

describe('a statement that bypasses payctl', () => {
  it.each([
    [1, 'signing_keys_three_active'],
    [4, 'slot_is_one_of_three'],
    [0, 'slot_is_one_of_three'],
  ])('cannot put a fourth active key into slot %i', async (slot, constraint) => {
    const partner = await aPartner(bed);
    await issueKey(bed, partner.partner_id, ANN);
    await issueKey(bed, partner.partner_id, ANN);
    const values = [partner.partner_id, `${partner.partner_id}-fourth`, slot];
    await expect(bed.database.query({ text: insertKey, values })).rejects.toMatchObject({
      constraint,
    });
    expect(await activeKeysOf(partner)).toBe(3);
  });

  it('and takes the slot meanwhile makes payctl reject the key with a sentence', async () => {
    const partner = await aPartner(bed);
    const issuing = await bed.database.inTransaction(async (connection) => {
      // Without its triggers, this transaction does not take the lock that payctl's commands wait
      // for.
      await connection.query({ text: 'set local session_replication_role = replica' });
      const values = [partner.partner_id, `${partner.partner_id}-by-hand`, 2];
      await connection.query({ text: insertKey, values });
      const issue = issueKey(bed, partner.partner_id, ANN).then(String, String);
      await untilBlocked(connection);
      return { outcome: issue };
    });
    expect(await issuing.outcome).toBe(
      `Rejection: The keys of partner ${partner.partner_id} were changed by another command at the same time. Nothing was issued. Check them with "payctl keys list ${partner.partner_id}", and repeat.`,
    );
    expect(await activeKeysOf(partner)).toBe(2);
  });
});

// A new key gets the quarter after the partner's latest (protocol 3.6; decision 13).
describe('the id of a new key', () => {
  const ACME = { partnerId: 'acme', environment: 'sandbox', now: new Date('2026-11-21T00:00:00Z') };
  const next = (...issued: readonly string[]) => nextKeyId({ ...ACME, issued });

  it.each([
    ['the quarter after the partner’s latest', ['2026q2'], '2026q3'],
    ['the first quarter of the next year after a fourth', ['2026q4'], '2027q1'],
    ['in a year of five digits after 9999', ['9999q4'], '10000q1'],
    ['after the latest quarter by number, not by text', ['10000q1', '9999q4'], '10000q2'],
    [
      'after the latest quarter, in whatever order keys were issued',
      ['2027q1', '2026q4'],
      '2027q2',
    ],
    ['the current quarter if there is no key', [], '2026q4'],
  ])('is %s', (_what, issued, expected) => {
    expect(next(...issued.map((quarter) => `acme_sandbox_${quarter}`))).toBe(
      `acme_sandbox_${expected}`,
    );
  });

  it('is the first quarter on the first day of a year', () => {
    const newYear = new Date('2027-01-01T00:00:00Z');
    expect(nextKeyId({ ...ACME, issued: [], now: newYear })).toBe('acme_sandbox_2027q1');
  });

  it.each([
    'test_key_001',
    'acme_sandbox_2026q5',
    'acme_sandbox_2026q0',
    'acme_sandbox_2026q1x',
    'acme_sandbox_026q1',
    'acme_prod_2030q1',
    'acme-two_sandbox_2030q1',
    'xacme_sandbox_2030q1',
  ])('ignores an id of another format: %s', (keyId) => {
    expect(next(keyId)).toBe('acme_sandbox_2026q4');
    expect(next(keyId, 'acme_sandbox_2026q1')).toBe('acme_sandbox_2026q2');
  });

  it('is never the same twice', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0) }), (now) => {
        const issued: string[] = [];
        for (let count = 0; count < 9; count += 1) {
          issued.push(nextKeyId({ ...ACME, issued, now }));
        }
        expect(new Set(issued).size).toBe(9);
        expect(issued.join()).toMatch(/^(acme_sandbox_\d{4,}q[1-4],?){9}$/);
      }),
    );
  });
});

// "Sandbox signing keys are rejected by production, and production keys are rejected by sandbox"
// (decision 26).
describe('the environment of a key', () => {
  const bed = withDatabase();

  it.each([
    ['sandbox', 'prod'],
    ['prod', 'sandbox'],
  ] as const)('a key of %s works there and is rejected by %s', async (env, otherEnv) => {
    const name = `of-${env}`;
    await aPartner(bed, { name, env });
    const issued = await issueKey(bed, name, ANN);
    expect(issued.key_id).toBe(`${name}_${env}_2026q2`);
    const apps = await Promise.all(
      [env, otherEnv].map((environment) => startApp(bed, { environment })),
    );
    const statuses = apps.map((app) => statusOfSigned(app, bed, issued));
    expect(await Promise.all(statuses)).toEqual([404, 401]);
    await Promise.all(apps.map((app) => app.close()));
  });
});
