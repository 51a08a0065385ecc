// The page parses its link without the service (protocol 6.1).
import { checkoutUrl } from '../../src/sdk';
import { intentIdOf, readSessionLink } from '../../api/checkout/browser/session/session-link';

const INTENT = 'pi_01kjq6psg0ab6gb3997ehq84qp';
const PATH = `/flow/${INTENT}/scan`;
const CLAIMS = { aud: 'service-checkout', exp: 1_700_000_600, 'service:intent_id': INTENT };

function tokenWith(claims: unknown): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `eyJhbGciOiJSUzI1NiJ9.${payload}.c2lnbmF0dXJl`;
}

const GOOD = tokenWith(CLAIMS);

describe('a link', () => {
  it('made by the SDK is parsed', () => {
    const link = checkoutUrl({
      checkoutUrl: 'https://checkout.example',
      intentId: INTENT,
      sessionToken: GOOD,
      returnScheme: 'partner.app+1',
    });
    const { pathname, hash } = new URL(link);
    expect(readSessionLink(pathname, hash)).toEqual({
      intentId: INTENT,
      token: GOOD,
      returnScheme: 'partner.app+1',
      expiresAtMs: 1_700_000_600_000,
    });
  });

  it('may have no return scheme', () => {
    expect(readSessionLink(PATH, `#token=${GOOD}`)).toMatchObject({ returnScheme: null });
  });

  it('may have its parameters in any order, and others', () => {
    const fragment = `#return_scheme=acme&utm=x&token=${GOOD}`;
    expect(readSessionLink(PATH, fragment)).toMatchObject({ returnScheme: 'acme', token: GOOD });
  });

  it('may have claims that are not ASCII', () => {
    const token = tokenWith({ ...CLAIMS, sub: 'ผู้ใช้' });
    expect(readSessionLink(PATH, `#token=${token}`)).toMatchObject({ token });
  });

  it.each([
    ['without a fragment', ''],
    ['without a token', '#return_scheme=acme'],
    ['with two tokens', `#token=${GOOD}&token=${GOOD}`],
    ['with two segments', '#token=a.b'],
    ['with four segments', `#token=${GOOD}.d`],
    ['with an empty segment', '#token=a..c'],
    ['with padding', `#token=${GOOD}=`],
    ['with an invalid escape', '#token=%zz'],
    ['with claims that are not JSON', '#token=a.bm8.c'],
    ['with claims that are null', `#token=${tokenWith(null)}`],
    ['for another audience', `#token=${tokenWith({ ...CLAIMS, aud: 'other' })}`],
    ['for several audiences', `#token=${tokenWith({ ...CLAIMS, aud: ['service-checkout'] })}`],
    ['for another intent', `#token=${tokenWith({ ...CLAIMS, 'service:intent_id': 'pi_2' })}`],
    ['without an exp', `#token=${tokenWith({ ...CLAIMS, exp: undefined })}`],
  ])('%s is invalid', (_name, fragment) => {
    expect(readSessionLink(PATH, fragment)).toBeUndefined();
  });

  it('that has expired is still valid, because the service decides by a better clock', () => {
    expect(readSessionLink(PATH, `#token=${tokenWith({ ...CLAIMS, exp: 1 })}`)).toMatchObject({
      expiresAtMs: 1_000,
    });
  });
});

it.each(['/flow//scan', '/flow/a/b/scan', `${PATH}/`, '/', `/x${PATH}`])(
  'the path %s contains no intent id',
  (path) => {
    expect(intentIdOf(path)).toBeUndefined();
  },
);
