// `payctl keys issue`, `list` and `revoke`, and what the API then answers (protocol 3.6; decisions
// 13 and 27).
import { issueKey } from '../../../src/ops/keys/issue';
import { revokeKey } from '../../../src/ops/keys/revoke';
import { findPartnerStory } from '../../../src/ops/partners/story';
import { NOON, secondsAfter } from '../../support/clock';
import { ANN, aPartner, type TestPartner } from '../../support/payments/partner';
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

/** As the command does it. */
const issue = (partner: TestPartner) => issueKey(bed, partner.partner_id, ANN);

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

it('the audit trail has who issued and revoked a key, and why, once', async () => {
  const { partner_id: partnerId, key_id: keyId } = await aPartner(bed);
  await keys('issue', partnerId, '--as', 'bob', '--reason', 'a yearly rotation');
  for (const actor of ['eve', 'bob']) await keys('revoke', keyId, '--as', actor);
  const { actions } = await findPartnerStory(bed.database, partnerId);
  expect(actions).toMatchObject([
    { actor: 'eve', action: 'keys revoke', reason: null, details: `key ${keyId}` },
    { actor: 'bob', action: 'keys issue', reason: 'a yearly rotation' },
    { actor: 'ann', action: 'partners create', details: `key ${keyId}` },
  ]);
});

describe('a rotation', () => {
  it('issues the key of the next quarter, and ends the old key after 14 days', async () => {
    const partner = await aPartner(bed, { name: 'acme' });
    expect(await works(partner)).toBe(404);

    const issued = await issueByCommand(partner);
    expect(issued).toEqual({
      key_id: 'acme_sandbox_2026q2',
      signing_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
    });
    expect([await works(partner), await works(issued)]).toEqual([404, 404]);
    const used = NOON.toISOString();
    expect(await list(partner)).toEqual([
      { key_id: 'acme_sandbox_2026q1', status: 'active', revokes_at: ENDS, last_used_at: used },
      { key_id: 'acme_sandbox_2026q2', status: 'active', revokes_at: null, last_used_at: used },
    ]);

    await bed.setNow(secondsAfter(NOON, DAYS_14 - 1));
    expect([await works(partner), await works(issued)]).toEqual([404, 404]);

    await bed.setNow(secondsAfter(NOON, DAYS_14));
    expect([await works(partner), await works(issued)]).toEqual([401, 404]);
    expect(await list(partner)).toMatchObject([
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

  it('does not change the end of a key that has one', async () => {
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

  it('continues from the latest key, even if it is revoked, and into the next year', async () => {
    const partner = await aPartner(bed, { name: 'quarterly' });
    const ids = [];
    for (let count = 0; count < 4; count += 1) {
      const { key_id } = await issue(partner);
      await revokeKey(bed.database, key_id, ANN, { yes: true });
      ids.push(key_id);
    }
    expect(ids).toEqual([
      'quarterly_sandbox_2026q2',
      'quarterly_sandbox_2026q3',
      'quarterly_sandbox_2026q4',
      'quarterly_sandbox_2027q1',
    ]);
  });

  it('prints in sentences what the operator has to do', async () => {
    await aPartner(bed, { name: 'spoken' });
    const ran = await keys('issue', 'spoken');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^key_id +spoken_sandbox_2026q2\nsigning_secret +\S{43}\n\n/);
    expect(ran.stdout).toContain('The secret is shown only once');
    expect(ran.stdout).toContain(`spoken_sandbox_2026q1 stops working at ${ENDS}.\n`);
  });
});

describe('three active keys', () => {
  it('are the maximum, and the rejection says how to make room', async () => {
    const partner = await aPartner(bed, { name: 'full' });
    await issue(partner);
    await issue(partner);
    const before = await list(partner);
    expect(await keys('issue', 'full', '--json')).toEqual(
      rejection(
        `Partner full has 3 active keys, which is the maximum: full_sandbox_2026q1, full_sandbox_2026q2, full_sandbox_2026q3. The next to end by itself is full_sandbox_2026q1, at ${ENDS}. To make room now, revoke one: payctl keys revoke KEY_ID.`,
      ),
    );
    expect(await list(partner)).toEqual(before);
  });

  it('make room for another key once one has ended or is revoked', async () => {
    const partner = await aPartner(bed);
    const second = await issue(partner);
    const third = await issue(partner);
    await revokeKey(bed.database, second.key_id, ANN, { yes: true });
    const fourth = await issue(partner);
    await expect(issue(partner)).rejects.toThrow('has 3 active keys');
    await bed.setNow(new Date(ENDS));
    const fifth = await issue(partner);
    expect([await works(third), await works(fourth), await works(fifth)]).toEqual([401, 404, 404]);
  });
});

describe('keys revoke', () => {
  it('ends the key at once and permanently', async () => {
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

  it('shows when a key ended that was revoked early', async () => {
    const partner = await aPartner(bed);
    await issue(partner);
    await bed.setNow(secondsAfter(NOON, 60));
    await keys('revoke', partner.key_id);
    const at = secondsAfter(NOON, 60).toISOString();
    expect(await list(partner)).toMatchObject([{ status: 'revoked', revokes_at: at }, {}]);
  });

  it('gives a repeat the same answer, and changes nothing', async () => {
    const partner = await aPartner(bed);
    await issue(partner);
    const first = await keys('revoke', partner.key_id, '--json');
    await bed.setNow(secondsAfter(NOON, 60));
    expect(await keys('revoke', partner.key_id, '--json')).toEqual(first);
    expect(await revokedAt(partner.key_id)).toEqual(NOON);
  });

  it('asks before it revokes the last active key, and warns', async () => {
    const partner = await aPartner(bed, { name: 'locked-out' });
    expect(await keys('revoke', partner.key_id)).toEqual(
      rejection(
        `${partner.key_id} is the last active key of locked-out. Nothing was changed: if it is right, add --yes.`,
      ),
    );
    expect(await works(partner)).toBe(404);
    const ran = await keys('revoke', partner.key_id, '--yes', '--json');
    expect([ran.code, ran.stderr]).toEqual([
      0,
      'payctl: Partner locked-out has no active key left and cannot sign a request. Issue one: payctl keys issue locked-out.\n',
    ]);
  });
});

describe('keys list', () => {
  it('shows when each key last signed an accepted request, accurate to an hour', async () => {
    const partner = await aPartner(bed);
    const lastUse = async () => {
      const [key] = (await list(partner)) as readonly { readonly last_used_at: string | null }[];
      return key?.last_used_at;
    };
    await works({ ...partner, signing_secret: 'wrong' });
    expect(await lastUse()).toBeNull();
    const uses = [];
    for (const seconds of [0, 3_599, 3_601]) {
      await bed.setNow(secondsAfter(NOON, seconds));
      await works(partner);
      uses.push(await lastUse());
    }
    const [first, later] = [NOON, secondsAfter(NOON, 3_601)].map((at) => at.toISOString());
    expect(uses).toEqual([first, first, later]);
  });

  it('prints a table to people', async () => {
    const partner = await aPartner(bed, { name: 'tabled' });
    await issue(partner);
    expect((await keys('list', 'tabled')).stdout).toBe(
      [
        'key_id                 status  revokes_at            last_used_at',
        'tabled_sandbox_2026q1  active  2026-03-16T12:00:00Z  -',
        'tabled_sandbox_2026q2  active  -                     -',
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

it('keys revoke rejects an unknown key with one sentence, and exits 1', async () => {
  const ran = await keys('revoke', 'nobody_sandbox_2026q1', '--json');
  expect(ran).toEqual(rejection('There is no key nobody_sandbox_2026q1.'));
});
