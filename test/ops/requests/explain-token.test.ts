// `payctl token explain`: every check of the API over a session token, against the rows of the
// database and the key set that the partner publishes.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, anIntentId, aTokenUse, move } from '../../support/builders';
import { aPartner, mintToken, type Claims, type TestPartner } from '../../support/payments/partner';
import { createCountedServers } from '../../support/servers/counted-servers';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';

let document: unknown;
const bed = withDatabase();
const servers = createCountedServers();
afterAll(() => {
  servers.closeAll();
});
const other = withPartner(bed);
let partner: TestPartner;
let intent: PaymentIntent;
beforeAll(async () => {
  const { port } = await servers.http((_request, response) => {
    response.end(JSON.stringify(document));
  });
  const base = `http://127.0.0.1:${port}`;
  partner = await aPartner(bed, { jwksUrl: `${base}/.well-known/jwks.json` });
  intent = await anIntent(bed, partner);
});
beforeEach(() => {
  document = partner.jwks;
});

/** payctl uses the system's clock. */
function mint(claims: Claims = {}, of = intent, by = partner) {
  const iat = Math.floor(Date.now() / 1_000);
  const screened_at = new Date().toISOString();
  const sanctions = { 'service:sanctions_attestation': { clean: true, screened_at } };
  return mintToken(by, of, { iat, exp: iat + 600, ...sanctions, ...claims });
}

const explain = (token: string, ...args: readonly string[]) =>
  runPayctl(bed, ['token', 'explain', ...args], { SESSION_TOKEN: token });

interface Printed {
  readonly failed: { readonly reason: string; readonly found: string } | null;
  readonly checks: readonly { readonly step: number | null; readonly outcome: string }[];
  readonly notes: readonly string[];
}
const json = async (token: string, ...args: readonly string[]) => {
  const { stdout } = await explain(token, '--json', ...args);
  return JSON.parse(stdout) as Printed;
};

describe('a token that the API accepts', () => {
  it('passes all eleven steps', async () => {
    const ran = await explain(mint(), '--json');
    const { failed, checks } = jsonOf(ran) as Printed;
    expect(failed).toBeNull();
    const steps = checks.filter(({ outcome }) => outcome === 'passed').map(({ step }) => step);
    expect([...new Set(steps)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, null]);
  });

  it('of an intent that does not exist is said to be 404', async () => {
    const { failed, notes } = await json(mint({}, { ...intent, intentId: anIntentId() }));
    expect([failed, notes]).toEqual([null, ['There is no such intent: the answer is 404.']]);
  });
});

it('a token of a settled intent is said to be 409 on confirm', async () => {
  const settled = await anIntent(bed, partner, { status: 'captured' });
  const { failed, notes } = await json(mint({}, settled));
  expect([failed, notes]).toEqual([
    null,
    ['The intent is captured: the answer to a confirm is 409.'],
  ]);
});

describe('a token that the API rejects', () => {
  it('is explained to people: the claim, what is expected and found, and what to do', async () => {
    const token = mint({ 'service:amount_usd_cents': 1 });
    const { code, stdout, stderr } = await explain(token);
    expect([code, stderr]).toEqual([1, 'payctl: The API rejects this token: amount_differs.\n']);
    expect(stdout).toMatch(/^ *10 +amount_differs +failed$/m);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'service:amount_usd_cents: expected 1250; found 1',
    );
    expect(stdout).toMatch(/^ *11 +corridor_differs +not_reached$/m);
    expect(stdout).toContain('Mint a new token with the amount and corridor');
    expect(stdout).not.toContain(token.split('.')[2]);
  });

  it('for its jti is explained by the rows', async () => {
    const confirmed = await anIntent(bed, partner);
    const jti = 'spent';
    await move(bed, confirmed.intentId, 'authorize', { token: aTokenUse(partner, jti) });
    const { failed } = await json(mint({ jti }, confirmed), '--for', 'read');
    expect(failed).toMatchObject({ reason: 'jti_used' });
  });

  it('because its key set cannot be fetched, with the cause', async () => {
    document = { keys: [] };
    const { failed, notes } = await json(mint());
    expect(failed).toMatchObject({ reason: 'key_set_not_fetched' });
    expect(notes.join()).toContain('has no key that is RSA, RS256, for signatures');
  });

  it('because its key is skipped, with the reason', async () => {
    const [key] = partner.jwks.keys;
    document = {
      keys: [
        { ...key, d: 'AQAB' },
        { ...key, kid: 'x', use: 'enc' },
      ],
    };
    const { failed, notes } = await json(mint());
    expect(failed).toMatchObject({ reason: 'key_set_not_fetched' });
    expect(notes.slice(0, 2)).toEqual([
      expect.stringMatching(
        /^The key set's key 1 ".*" is skipped: its private members are published: anybody can sign\.$/,
      ),
      'The key set\'s key 2 "x" is skipped: its private members are published: anybody can sign.',
    ]);
  });

  it('because the intent is another partner’s', async () => {
    const { failed } = await json(mint({}, await anIntent(bed, other)));
    expect(failed).toMatchObject({ reason: 'issuer_of_another_partner' });
  });

  it('because the path names another intent', async () => {
    const { failed } = await json(mint(), anIntentId());
    expect(failed).toMatchObject({ reason: 'bound_to_another_intent', found: intent.intentId });
  });
});

it('reads the token from a pipe', async () => {
  const piped = { args: ['token', 'explain', '--json'], input: `${mint()}\n` };
  expect((jsonOf(await runPayctl(bed, piped)) as Printed).failed).toBeNull();
});

it('does not take the token as an argument, and exits 1 without one', async () => {
  expectRejected(await explain(''), 1, 'There is no session token. Set SESSION_TOKEN');
  expect(textOf(await runPayctl(bed, ['token', 'explain', '--help']))).toContain('SESSION_TOKEN');
});
