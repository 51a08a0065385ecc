// `payctl partners set`: the given settings replace the old ones, at once and in one transaction.
import { issueKey } from '../../../src/ops/keys/issue';
import { revokeKey } from '../../../src/ops/keys/revoke';
import { countOf } from '../../support/builders';
import { ANN, aPartner } from '../../support/payments/partner';
import {
  expectRejected,
  jsonOf,
  rejection,
  runPayctl,
  statusOfSigned,
} from '../../support/programs/payctl';
import { withDatabase, withApp } from '../../support/brackets';

const bed = withDatabase();
const app = withApp(bed);

const set = (partner: string, ...options: readonly string[]) =>
  runPayctl(bed, ['partners', 'set', partner, ...options, '--json']);

/** All settings that `partners set` may change, as one value to compare. */
async function settingsOf(partnerId: string): Promise<unknown> {
  const { rows } = await bed.database.query({
    text: `select p.*,
                  array(select issuer from token_issuers t
                         where t.partner_id = p.partner_id order by issuer) as issuers,
                  array(select network::text from partner_addresses a
                         where a.partner_id = p.partner_id order by network) as networks,
                  (select to_jsonb(e) from webhook_endpoints e
                    where e.partner_id = p.partner_id) as endpoint
             from partners p where partner_id = $1`,
    values: [partnerId],
  });
  return rows[0];
}

const NEW_URL = 'http://127.0.0.1:9/elsewhere/.well-known/jwks.json';

describe('partners set', () => {
  it('replaces the given settings at once, and prints no secrets', async () => {
    const partner = await aPartner(bed, { name: 'acme' });
    const issued = await issueKey(bed, 'acme', ANN);
    const before = await settingsOf('acme');
    const changed = jsonOf(
      await set(
        'acme',
        ...['--jwks-url', NEW_URL, '--allow', '198.51.100.0/24', '--allow', '203.0.113.7', '--yes'],
        ...['--return-scheme', 'acme-pay', '--return-scheme', 'acme-two'],
        ...['--kyc-max-age', '86400', '--sanctions-max-age', '3600'],
        ...['--intents-per-second', '20', '--usd-cents-per-day', '5000000'],
        ...['--display-name', 'Acme & Söhne'],
      ),
    );
    const settings = {
      jwks_url: NEW_URL,
      networks: ['198.51.100.0/24', '203.0.113.7/32'],
      return_schemes: ['acme-pay', 'acme-two'],
      kyc_max_age_seconds: 86_400,
      sanctions_max_age_seconds: 3_600,
      intents_per_second: 20,
      usd_cents_per_day: 5_000_000,
      display_name: 'Acme & Söhne',
    };
    expect(changed).toEqual({
      partner_id: 'acme',
      key_id: issued.key_id,
      signing_secret: null,
      issuer: 'http://127.0.0.1:9/elsewhere',
      webhook_secret: null,
      ...settings,
      logo_id: null,
      webhook_endpoint: expect.objectContaining({ state: 'active' }) as object,
      given: Object.keys(settings),
    });
    expect(await settingsOf('acme')).toEqual({
      ...(before as object),
      ...settings,
      issuers: ['http://127.0.0.1:9/elsewhere', 'http://127.0.0.1:9/elsewhere/', NEW_URL],
    });
    expect(await statusOfSigned(app, bed, partner)).toBe(401);
    await set('acme', '--allow', '127.0.0.0/8', '--yes', '--return-scheme', 'none');
    expect(await settingsOf('acme')).toMatchObject({ return_schemes: [] });
    expect(await statusOfSigned(app, bed, partner)).toBe(404);
  });

  it('keeps the settings that are not given, and removes an age with "none"', async () => {
    await aPartner(bed, { name: 'steady' });
    await set('steady', '--kyc-max-age', '60', '--sanctions-max-age', '90');
    const before = await settingsOf('steady');
    expect((await set('steady')).code).toBe(0);
    expect(await settingsOf('steady')).toEqual(before);
    await set('steady', '--kyc-max-age', 'none');
    expect(await settingsOf('steady')).toEqual({
      ...(before as object),
      kyc_max_age_seconds: null,
    });
  });

  it('shows the secret of a new webhook endpoint, and keeps that of an existing one', async () => {
    const created = ['partners', 'create', '--name', 'hooked', '--allow', '127.0.0.1'];
    await runPayctl(bed, [...created, '--jwks-url', 'https://hooked.example/jwks']);
    const made = await set('hooked', '--webhook-url', 'http://127.0.0.1:9/hook');
    const { webhook_secret } = JSON.parse(made.stdout) as { readonly webhook_secret: string };
    expect(webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

    await bed.database.query({
      text: `update webhook_endpoints
                set disabled_at = service_now(), disabled_reason = 'test',
                    failing_since = service_now(), gone_in_a_row = 2,
                    gone_since = service_now()
              where partner_id = 'hooked'`,
    });
    const moved = await set('hooked', '--webhook-url', 'http://127.0.0.1:9/other');
    expect(JSON.parse(moved.stdout)).toMatchObject({ webhook_secret: null });
    const { rows } = await bed.database.query<{ readonly secret_sealed: Buffer }>({
      text: `select * from webhook_endpoints where partner_id = 'hooked'`,
    });
    expect(rows).toMatchObject([
      {
        url: 'http://127.0.0.1:9/other',
        ...{ disabled_at: null, disabled_reason: null, failing_since: null, gone_in_a_row: 0 },
      },
    ]);
    const sealed = rows[0]?.secret_sealed ?? Buffer.alloc(0);
    expect(bed.seal.open(sealed, 'webhook:hooked')).toBe(webhook_secret);
  });

  it('prints no key for a partner without an active key', async () => {
    const partner = await aPartner(bed, { name: 'keyless' });
    await revokeKey(bed.database, partner.key_id, ANN, { yes: true });
    const ran = await runPayctl(bed, ['partners', 'set', 'keyless']);
    expect(ran.stdout).toMatch(/^partner_id +keyless\nkey_id +-\nsigning_secret +-\nissuer +https/);
    expect(ran.stdout).toMatch(/^networks +127\.0\.0\.1\/32, ::1\/128$/m);
    expect(ran.stdout).toContain('No option was given, so nothing was changed.');
    expect(ran.stdout).toContain('Secrets are shown only by the command that makes them.');
  });

  it('accepts the environment of the partner, and rejects another', async () => {
    await aPartner(bed, { name: 'rooted' });
    expect((await set('rooted', '--env', 'sandbox')).code).toBe(0);
    expect(await set('rooted', '--env', 'prod')).toEqual(
      rejection(
        'Partner rooted and its keys belong to sandbox permanently. For prod, create a partner there.',
      ),
    );
  });

  it('rejects the issuer of another partner, and changes nothing', async () => {
    const other = await aPartner(bed, { name: 'other' });
    await aPartner(bed, { name: 'greedy' });
    const before = await settingsOf('greedy');
    expect(await set('greedy', '--jwks-url', other.jwks_url, '--allow', '10.0.0.0/8')).toEqual(
      rejection(
        `Another partner has registered ${other.jwks_url} already. One key set belongs to one partner.`,
      ),
    );
    expect(await settingsOf('greedy')).toEqual(before);
  });

  it('asks before it removes networks, and shows those that are accepted now', async () => {
    await aPartner(bed, { name: 'asked', allow: ['10.0.0.0/8', '203.0.113.7'] });
    const before = await settingsOf('asked');
    expect(await set('asked', '--allow', '10.0.0.0/8')).toEqual(
      rejection(
        'asked may send from 10.0.0.0/8, 203.0.113.7/32, and 10.0.0.0/8 would replace that. Nothing was changed: if it is right, add --yes.',
      ),
    );
    expect(await settingsOf('asked')).toEqual(before);
    const more = ['--allow', '10.0.0.0/8', '--allow', '203.0.113.0/24', '--allow', '203.0.113.7'];
    expect((await set('asked', ...more)).code).toBe(0);
  });

  it('records in the audit trail who set what, and why', async () => {
    await aPartner(bed, { name: 'traced' });
    const allow = ['--allow', '10.0.0.0/8', '--allow', '203.0.113.7', '--yes'];
    const ann = ['--as', 'ann', '--reason', 'moved house'];
    await set('traced', ...allow, '--kyc-max-age', '60', ...ann);
    const { rows } = await bed.database.query({
      text: `select actor, action, reason, details from operator_actions
              where partner_id = 'traced' and action = 'partners set'`,
    });
    expect(rows).toEqual([
      {
        ...{ actor: 'ann', action: 'partners set', reason: 'moved house' },
        details:
          'networks: 127.0.0.1/32, ::1/128 -> 10.0.0.0/8, 203.0.113.7/32; kyc_max_age_seconds: none -> 60',
      },
    ]);
  });

  it.each([
    [1, 'an unknown partner', ['nobody', '--allow', '10.0.0.0/8']],
    [2, 'a key set that is not a URL', ['picky', '--jwks-url', 'nowhere']],
    [2, 'host bits beyond a prefix', ['picky', '--return-scheme', 'x-y', '--allow', '10.0.0.1/8']],
    [2, 'one network twice', ['picky', '--allow', '10.0.0.1', '--allow', '10.0.0.1/32']],
    [2, 'a scheme of browsers', ['picky', '--return-scheme', 'https']],
    [2, 'an age of 0', ['picky', '--kyc-max-age', '0']],
    [2, 'a limit of 0', ['picky', '--usd-cents-per-day', '0']],
    [2, 'the actor system', ['picky', '--as', 'system']],
  ])('exits %i for %s with one sentence, and changes nothing', async (code, _name, args) => {
    if ((await countOf(bed, `select count(*) from partners where partner_id = 'picky'`)) === 0) {
      await aPartner(bed, { name: 'picky' });
    }
    const before = await settingsOf('picky');
    const [partner = '', ...options] = args;
    expectRejected(
      await set(partner, ...options),
      code,
      /^payctl: (?!The command failed)[^\n]+\.\n$/,
    );
    expect(await settingsOf('picky')).toEqual(before);
  });
});
