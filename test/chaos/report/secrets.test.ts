// "No secret in any log, history or error" (architecture, section 8): the search finds each kind of
// secret anywhere, and reports its name but never its value.
import { aThaiCode, aVietnameseCode } from '../../support/payments/qr-codes';
import { createSecretSearch, knownSecrets } from './secrets';
import { textsIn } from '../sources/workflows';

const PARTNER = {
  ...{
    partner_id: 'siam-travel',
    key_id: 'siam-travel_sandbox_2026q1',
    signing_secret: 'sign-here',
  },
  ...{ issuer: 'i', jwks_url: 'j', session_kid: 'k', webhook_inbox_url: 'w' },
  webhook_secret: 'whsec_c2VjcmV0IG9mIHRoZSB3ZWJob29r',
  session_private_key_pem:
    '-----BEGIN PRIVATE KEY-----\nfirst\nin-the-middle\nlast\n-----END PRIVATE KEY-----\n',
};
const SECRETS = {
  ...{ key_encryption_key: 'seal-all', provider_token: 'pay-out' },
  installation_key: 'derive-ids',
  postgres_password: 'let-me-in',
};
const TOKEN = `eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(60)}`;
const aSearch = () => createSecretSearch(knownSecrets(SECRETS, [PARTNER]));

describe('the search for secrets', () => {
  it.each([
    ['the signing secret of siam-travel', '{"err":"sign-here"}'],
    ['the webhook secret of siam-travel', `secret ${PARTNER.webhook_secret}`],
    ['the session key of siam-travel', 'xx in-the-middle xx'],
    ['key_encryption_key', 'seal-all'],
    ['installation_key', 'ids by derive-ids'],
    ['provider_token', 'Bearer pay-out'],
    ['postgres_password', 'postgresql://payments:let-me-in@127.0.0.1/payments'],
    ['a session token', `authorization: Bearer ${TOKEN}`],
    ['a private key', PARTNER.session_private_key_pem],
    ['a webhook secret', 'whsec_bm90IGtub3duIGJlZm9yZQ=='],
    ['a scanned code', `{"qr_payload":"${aThaiCode()}"}`],
    ['a scanned code', aVietnameseCode({ '59': 'CHAOS SANDALS' })],
    ['a signature', `"x-service-signature":"${'A'.repeat(43)}="`],
    ['a user of a partner', 'partner_user_id=chaos-user-17'],
  ])('finds %s', (name, text) => {
    const search = aSearch();
    search.look('worker-1.log:3', text);
    const { violations, examples } = search.finding();
    expect(violations).toBeGreaterThan(0);
    expect(examples).toContain(`${name} in worker-1.log:3`);
  });

  it('reports no value', () => {
    const search = aSearch();
    search.look('a log', `sign-here ${TOKEN} ${aThaiCode()}`);
    expect(JSON.stringify(search.finding())).not.toMatch(/sign-here|eyJ|000201/);
  });

  it('finds nothing in public values', () => {
    const search = aSearch();
    search.look(
      'a log',
      '{"intent_id":"pi_00000000000000000000000001","key_id":"siam-travel_sandbox_2026q1","status":200}',
    );
    expect(search.finding()).toMatchObject({ checked: 1, violations: 0 });
  });

  it('reads every text and every payload of a history', () => {
    const payload = { data: Buffer.from(JSON.stringify({ token: TOKEN })) };
    const history = { events: [{ eventId: 1, attributes: { summary: 'Pay', input: [payload] } }] };
    expect([...textsIn(history)]).toEqual(['Pay', JSON.stringify({ token: TOKEN })]);
  });
});
