// Protocol 4.1, and step 1 of protocol 4.7; RFC 7515, section 2; decision 24. A token that could be
// read in two ways is 401, even if its signature is valid.
import { createSign } from 'node:crypto';
import { withApi } from '../../support/brackets';
import { claimsFor, mintToken } from '../../support/payments/partner';
import { expectRejection } from '../hostile/world';

const { app, partner, intent } = withApi();

const base64url = (text: string) => Buffer.from(text).toString('base64url');
const headerText = () => JSON.stringify({ alg: 'RS256', kid: partner.kid });
const claimsText = () => JSON.stringify(claimsFor(partner, intent));
/** Appends spaces until the last base64url character has that many unused bits. */
const padded = (text: string, spareBits: 0 | 2 | 4) => {
  const bytesOver = { 0: 0, 2: 2, 4: 1 }[spareBits];
  const blanks = (3 + bytesOver - (Buffer.byteLength(text) % 3)) % 3;
  return text + ' '.repeat(blanks);
};

/** Signs two segments exactly as given. */
function signSegments(header: string, claims: string): string {
  const text = `${header}.${claims}`;
  const signature = createSign('RSA-SHA256').update(text).sign(partner.privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

/** Sets unused bits of the last character: the segment differs but decodes to the same bytes. */
function setSpareBits(segment: string): string {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = ALPHABET.indexOf(segment.slice(-1));
  const other = segment.slice(0, -1) + (ALPHABET[last + 1] ?? '');
  expect(Buffer.from(other, 'base64url')).toEqual(Buffer.from(segment, 'base64url'));
  return other;
}

const get = (token: string) => app.get(intent, token);

async function expectMalformed(token: string): Promise<void> {
  expectRejection(await get(token), 401);
  expect(app.rejections).toEqual(['token_malformed']);
}

it('a token in canonical base64url is accepted', async () => {
  const token = signSegments(base64url(headerText()), base64url(claimsText()));
  expect(await get(token)).toMatchObject({ status: 200 });
});

describe('a token is malformed that has', () => {
  it.each([2, 4] as const)('a header with %d spare bits set', async (spareBits) => {
    const header = base64url(padded(headerText(), spareBits));
    await expectMalformed(signSegments(setSpareBits(header), base64url(claimsText())));
  });

  it.each([2, 4] as const)('claims with %d spare bits set', async (spareBits) => {
    const claims = base64url(padded(claimsText(), spareBits));
    await expectMalformed(signSegments(base64url(headerText()), setSpareBits(claims)));
  });

  it('a signature with four spare bits set', async () => {
    const [header = '', claims = '', signature = ''] = mintToken(partner, intent).split('.');
    await expectMalformed([header, claims, setSpareBits(signature)].join('.'));
  });

  it.each<[string, (segment: string) => string]>([
    ['padding', (segment) => `${segment}==`],
    ['one character too many', (segment) => `${segment}A`],
    ['a plus instead of a dash', (segment) => `${segment.slice(0, -4)}+/+/`],
    [
      'a character outside the alphabet',
      (segment) => `${segment.slice(0, -4)}!${segment.slice(-4)}`,
    ],
  ])('a header with %s', async (_name, change) => {
    const header = change(base64url(padded(headerText(), 0)));
    await expectMalformed(signSegments(header, base64url(claimsText())));
  });
});

describe('a text in the token', () => {
  const CLAIMS: readonly (readonly [string, number, (text: string) => string])[] = [
    ...['iss', 'sub', 'jti'].map(
      (name) => [name, 1_024, (text: string) => mintWith({ [name]: text })] as const,
    ),
    [
      'method',
      1_024,
      (method) =>
        mintWith({
          'service:kyc_attestation': {
            verified: true,
            method,
            verified_at: '2026-01-01T00:00:00Z',
          },
        }),
    ],
    ['kid', 256, (kid) => mintToken(partner, intent, {}, { kid })],
  ];
  const mintWith = (claims: Readonly<Record<string, unknown>>) =>
    mintToken(partner, intent, claims);

  // An emoji is one character and four bytes: the contract counts code points.
  it.each(CLAIMS)('in %s may have at most %d characters', async (_name, max, mint) => {
    await get(mint('💡'.repeat(max)));
    expect(app.rejections).not.toContain('token_malformed');
    app.rejections.length = 0;
    await expectMalformed(mint('k'.repeat(max + 1)));
  });
});

describe('a token is malformed whose header has', () => {
  it.each([
    ['its kid twice', () => headerText().replace('{', '{"kid":"other",')],
    ['its alg twice', () => headerText().replace('{', '{"alg":"none",')],
    ['its alg twice, once in escapes', () => headerText().replace('{', '{"\\u0061lg":"none",')],
    ['a __proto__', () => headerText().replace('{', '{"__proto__":{"alg":"none"},')],
    ['a byte order mark before it', () => `\ufeff${headerText()}`],
    ['an array around it', () => `[${headerText()}]`],
    [
      'a thousand levels',
      () => headerText().replace('{', `{"x":${'['.repeat(1_000)}${']'.repeat(1_000)},`),
    ],
  ])('%s', async (_name, header) => {
    await expectMalformed(signSegments(base64url(header()), base64url(claimsText())));
  });
});

describe('a token', () => {
  it.each([
    ['a member twice', '{"service:amount_usd_cents":1,'],
    ['a member twice, once in escapes', '{"\\u0061ud":"service-checkout",'],
    ['a __proto__', '{"__proto__":{"admin":true},'],
    ['two thousand levels', `{"extra":${'['.repeat(2_000)}${']'.repeat(2_000)},`],
  ])('is malformed whose claims have %s', async (_name, beginning) => {
    const claims = claimsText().replace('{', beginning);
    await expectMalformed(signSegments(base64url(headerText()), base64url(claims)));
  });

  it('with further members of thirty levels is accepted', async () => {
    const header = headerText().replace('{', `{"x":${'['.repeat(30)}${']'.repeat(30)},`);
    const claims = claimsText().replace('{', `{"x":${'{"y":'.repeat(30)}1${'}'.repeat(30)},`);
    expect(await get(signSegments(base64url(header), base64url(claims)))).toMatchObject({
      status: 200,
    });
  });

  it.each([['jwk'], ['x5c']])(
    'with a valid key in %s is verified by the published key',
    async (member) => {
      const [jwk] = partner.jwks.keys;
      const token = mintToken(partner, intent, {}, { [member]: jwk });
      expect(await get(token)).toMatchObject({ status: 200 });
    },
  );
});
