// `payctl partners list` and `show`: the settings and the current state of partners, and never a
// secret.
import { issueKey } from '../../../src/ops/keys/issue';
import { revokeKey } from '../../../src/ops/keys/revoke';
import { disableWebhook } from '../../../src/ops/webhooks/disable';
import { NOON } from '../../support/clock';
import { ANN, aPartner } from '../../support/payments/partner';
import { jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { withDatabase, withPartner } from '../../support/brackets';

const bed = withDatabase();
const acme = withPartner(bed, { name: 'acme' });
let newer: string;
beforeAll(async () => {
  newer = (await issueKey(bed, 'acme', ANN)).key_id;
  const limits = { intentsPerSecond: 20, usdCentsPerDay: 5_000_000 };
  const lotus = await aPartner(bed, { name: 'lotus', env: 'prod', ...limits });
  await revokeKey(bed.database, lotus.key_id, ANN, { yes: true });
  await disableWebhook(bed.database, 'lotus', { actor: 'ann', reason: 'it moves house' });
  await runPayctl(bed, [
    ...['partners', 'create', '--name', 'plain', '--allow', '10.0.0.0/8', '--allow', '::1'],
    ...['--jwks-url', 'https://plain.example/keys', '--return-scheme', 'plain-pay'],
    ...['--kyc-max-age', '86400', '--as', 'ann', '--reason', 'signed today'],
  ]);
});

const partners = (...args: readonly string[]) => runPayctl(bed, ['partners', ...args]);

it('lists them to programs with their active keys and the state of their endpoints', async () => {
  expect(jsonOf(await partners('list', '--json'))).toEqual([
    {
      partner_id: 'acme',
      environment: 'sandbox',
      issuer: acme.issuer,
      jwks_url: acme.jwks_url,
      active_keys: 2,
      webhook_endpoint: 'active',
    },
    expect.objectContaining({ partner_id: 'lotus', active_keys: 0, webhook_endpoint: 'disabled' }),
    expect.objectContaining({ partner_id: 'plain', active_keys: 1, webhook_endpoint: 'none' }),
  ]);
});

it('lists them to people', async () => {
  expect(textOf(await partners('list'))).toBe(
    `
partner  env      active keys  webhooks
acme     sandbox  2            active
  iss https://acme.example
lotus    prod     0            disabled
  iss https://lotus.example
plain    sandbox  1            none
  iss https://plain.example/keys
`.trimStart(),
  );
});

it('shows one to programs, with null if it has no endpoint', async () => {
  expect(jsonOf(await partners('show', 'plain', '--json'))).toEqual({
    partner_id: 'plain',
    environment: 'sandbox',
    created_at: NOON.toISOString(),
    issuer: 'https://plain.example/keys',
    jwks_url: 'https://plain.example/keys',
    networks: ['10.0.0.0/8', '::1/128'],
    return_schemes: ['plain-pay'],
    kyc_max_age_seconds: 86_400,
    sanctions_max_age_seconds: null,
    suspended_at: null,
    intents_per_second: null,
    usd_cents_per_day: null,
    display_name: null,
    logo_id: null,
    authorized_today_usd_cents: 0,
    keys: [
      {
        ...{ key_id: 'plain_sandbox_2026q1', status: 'active' },
        ...{ revokes_at: null, last_used_at: null },
      },
    ],
    webhook_endpoint: null,
    actions: [
      {
        ...{ at: NOON.toISOString(), actor: 'ann', action: 'partners create', event_id: null },
        ...{ events: null, reason: 'signed today', details: 'key plain_sandbox_2026q1' },
      },
    ],
  });
});

it('shows one to people, with what operators changed', async () => {
  expect(textOf(await partners('show', 'lotus'))).toBe(
    `
partner            lotus
environment        prod
registered         2026-03-02T12:00:00Z
issuer             https://lotus.example
key set            https://lotus.example/.well-known/jwks.json
networks           127.0.0.1/32, ::1/128
return schemes     -
KYC at most        any age
sanctions at most  any age
intents a second   20
at most a day      50000.00 USD; today 0.00 USD
shown to payers    -
logo               -

Keys
  key_id             status   revokes_at            last_used_at
  lotus_prod_2026q1  revoked  2026-03-02T12:00:00Z  -

Webhooks
  partner  state     pending  skipped  exhausted
  lotus    disabled  0        0        0
    to https://lotus.example/webhooks
    disabled since 2026-03-02T12:00:00Z: it moves house

Changed by operators
  at                    actor  command           events
  2026-03-02T12:00:00Z  ann    webhooks disable  0
    because: it moves house
  2026-03-02T12:00:00Z  ann    keys revoke       -
    key lotus_prod_2026q1
  2026-03-02T12:00:00Z  ann    partners create   -
    key lotus_prod_2026q1
`.trimStart(),
  );
});

it('shows every key with its state, and never a secret', async () => {
  const texts = [
    (await partners('show', 'acme')).stdout,
    (await partners('show', 'acme', '--json')).stdout,
  ].join('\n');
  expect(texts).toContain(acme.key_id);
  expect(texts).toContain(newer);
  expect(texts).not.toMatch(/whsec_|secret_sealed/);
  expect(texts).not.toContain(acme.signing_secret);
});
