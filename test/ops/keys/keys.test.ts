// `payctl keys issue | list | revoke` as operations run them, and what the API then says (protocol 3.6;
// decisions 13 and 27).
import { issueKey, revokeKey } from '../../../src/ops/keys/signing-keys';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import {
  jsonOf,
  rejection,
  runPayctl,
  type SigningCredentials,
  statusOfSigned,
} from '../../support/programs/payctl';
import { withDatabase, withApp } from '../../support/brackets';

const DAYS_14 = 14 * 86_400;
const ENDS = secondsAfter(NOON, DAYS_14).toISOString();

const bed = withDatabase();
const app = withApp(bed);
beforeEach(() => bed.setNow(NOON));

const keys = (...args: readonly string[]) => runPayctl(bed, ['keys', ...args]);
const works = (credentials: SigningCredentials) => statusOfSigned(app, bed, credentials);

/** As the command does it, without the time that a process takes to start. */
const issue = (partner: TestPartner) => issueKey(bed, partner.partner_id);

async function issueByCommand(partner: TestPartner): Promise<SigningCredentials> {
  return jsonOf(await keys('issue', partner.partner_id, '--json')) as SigningCredentials;
}

async function list(partner: TestPartner): Promise<unknown> {
  return jsonOf(await keys('list', partner.partner_id, '--json'));
}

const revokedAt = async (keyId: string) => {
  const { rows } = await bed.database.query<{ readonly revoked_at: Date | null }>({
    text: `select revoked_at from signing_keys where key_id = $1`,
    values: [keyId],
  });
  return rows[0]?.revoked_at;
};

describe('a rotation', () => {
  it('gives a key of the next quarter, keeps the old one for 14 days, and then refuses it for ever', async () => {
    const partner = await aPartner(bed, { name: 'acme' });
    expect(await works(partner)).toBe(404);

    const issued = await issueByCommand(partner);
    expect(issued).toEqual({
      key_id: 'acme_sandbox_2026q2',
      signing_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
    });
    expect([await works(partner), await works(issued)]).toEqual([404, 404]);
    expect(await list(partner)).toEqual([
      { key_id: 'acme_sandbox_2026q1', status: 'active', revokes_at: ENDS },
      { key_id: 'acme_sandbox_2026q2', status: 'active', revokes_at: null },
    ]);

    await bed.setNow(secondsAfter(NOON, DAYS_14 - 1));
    expect([await works(partner), await works(issued)]).toEqual([404, 404]);

    await bed.setNow(secondsAfter(NOON, DAYS_14));
    expect([await works(partner), await works(issued)]).toEqual([401, 404]);
    expect(await list(partner)).toEqual([
      { key_id: 'acme_sandbox_2026q1', status: 'revoked', revokes_at: ENDS },
      { key_id: 'acme_sandbox_2026q2', status: 'active', revokes_at: null },
    ]);

    const third = await issue(partner);
    expect(third.key_id).toBe('acme_sandbox_2026q3');
    expect(await revokedAt('acme_sandbox_2026q1')).toEqual(new Date(ENDS));
    expect([await works(partner), await works(issued), await works(third)]).toEqual([
      401, 404, 404,
    ]);
  });

  it('leaves the end of a key that has one', async () => {
    const partner = await aPartner(bed);
    await issue(partner);
    await bed.setNow(secondsAfter(NOON, 86_400));
    await issue(partner);
    const oneDayLater = secondsAfter(new Date(ENDS), 86_400).toISOString();
    expect(await list(partner)).toMatchObject([
      { revokes_at: ENDS },
      { revokes_at: oneDayLater },
      { revokes_at: null },
    ]);
  });

  it('counts on from the latest key, though it is revoked, and over the turn of the year', async () => {
    const partner = await aPartner(bed, { name: 'quarterly' });
    const ids = [];
    for (let count = 0; count < 4; count += 1) {
      const { key_id } = await issue(partner);
      await revokeKey(bed.database, key_id);
      ids.push(key_id);
    }
    expect(ids).toEqual([
      'quarterly_sandbox_2026q2',
      'quarterly_sandbox_2026q3',
      'quarterly_sandbox_2026q4',
      'quarterly_sandbox_2027q1',
    ]);
  });

  it('tells people in sentences what they have to do', async () => {
    await aPartner(bed, { name: 'spoken' });
    const ran = await keys('issue', 'spoken');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^key_id +spoken_sandbox_2026q2\nsigning_secret +\S{43}\n\n/);
    expect(ran.stdout).toContain('The secret is shown this once');
    expect(ran.stdout).toContain(`spoken_sandbox_2026q1 stops working at ${ENDS}.\n`);
  });
});

describe('three active keys', () => {
  it('are the most, and the rejection names them, the next end, and the way out', async () => {
    const partner = await aPartner(bed, { name: 'full' });
    await issue(partner);
    await issue(partner);
    const before = await list(partner);
    expect(await keys('issue', 'full', '--json')).toEqual(
      rejection(
        `Partner full holds 3 active keys, which is the most it may: full_sandbox_2026q1, full_sandbox_2026q2, full_sandbox_2026q3. The next to end by itself is full_sandbox_2026q1, at ${ENDS}. To make room now, revoke one: payctl keys revoke KEY_ID.`,
      ),
    );
    expect(await list(partner)).toEqual(before);
  });

  it('leave room for another once one has ended or is revoked', async () => {
    const partner = await aPartner(bed);
    const second = await issue(partner);
    const third = await issue(partner);
    await revokeKey(bed.database, second.key_id);
    const fourth = await issue(partner);
    await expect(issue(partner)).rejects.toThrow('holds 3 active keys');
    await bed.setNow(new Date(ENDS));
    const fifth = await issue(partner);
    expect([await works(third), await works(fourth), await works(fifth)]).toEqual([401, 404, 404]);
  });
});

describe('keys revoke', () => {
  it('refuses the key at once and for ever', async () => {
    const partner = await aPartner(bed, { name: 'cut-off' });
    const issued = await issue(partner);
    expect(jsonOf(await keys('revoke', partner.key_id, '--json'))).toEqual({
      key_id: partner.key_id,
      status: 'revoked',
    });
    expect([await works(partner), await works(issued)]).toEqual([401, 404]);

    const revive = `update signing_keys set revoked_at = null, revokes_at = null where key_id = $1`;
    await expect(bed.database.query({ text: revive, values: [partner.key_id] })).rejects.toThrow(
      'was revoked and stays revoked',
    );
    expect(await works(partner)).toBe(401);
  });

  it('says when a key ended that was revoked before its time', async () => {
    const partner = await aPartner(bed);
    await issue(partner);
    await bed.setNow(secondsAfter(NOON, 60));
    await keys('revoke', partner.key_id);
    const at = secondsAfter(NOON, 60).toISOString();
    expect(await list(partner)).toMatchObject([{ status: 'revoked', revokes_at: at }, {}]);
  });

  it('answers a repeat alike and changes nothing', async () => {
    const partner = await aPartner(bed);
    await issue(partner);
    const first = await keys('revoke', partner.key_id, '--json');
    await bed.setNow(secondsAfter(NOON, 60));
    expect(await keys('revoke', partner.key_id, '--json')).toEqual(first);
    expect(await revokedAt(partner.key_id)).toEqual(NOON);
  });

  it('warns when no active key is left', async () => {
    await aPartner(bed, { name: 'locked-out' });
    const ran = await keys('revoke', 'locked-out_sandbox_2026q1', '--json');
    expect([ran.code, ran.stderr]).toEqual([
      0,
      'payctl: Partner locked-out has no active key left and cannot sign a request. Issue one: payctl keys issue locked-out.\n',
    ]);
  });
});

describe('keys list', () => {
  it('prints a table to people', async () => {
    const partner = await aPartner(bed, { name: 'tabled' });
    await issue(partner);
    expect((await keys('list', 'tabled')).stdout).toBe(
      [
        'key_id                 status  revokes_at',
        `tabled_sandbox_2026q1  active  ${ENDS}`,
        'tabled_sandbox_2026q2  active  -',
        '',
      ].join('\n'),
    );
  });

  it('says that a partner has no keys', async () => {
    const partner = await aPartner(bed, { name: 'keyless' });
    await bed.database.query({
      text: `delete from signing_keys where partner_id = $1`,
      values: [partner.partner_id],
    });
    expect(await list(partner)).toEqual([]);
    expect((await keys('list', 'keyless')).stdout).toBe('Partner keyless has no keys.\n');
    expect((await issue(partner)).key_id).toBe('keyless_sandbox_2026q1');
  });
});

it('keys revoke refuses a key that is not there with one sentence and 1', async () => {
  const ran = await keys('revoke', 'nobody_sandbox_2026q1', '--json');
  expect(ran).toEqual(rejection('There is no key nobody_sandbox_2026q1.'));
});
