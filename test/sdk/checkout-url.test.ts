// The checkout URL of the SDK (protocol 6.1).
import { checkoutUrl } from '../../src/sdk';

const INPUT = {
  checkoutUrl: 'https://checkout.example/',
  intentId: 'pi_1',
  sessionToken: 'a.b-_.c',
};

describe('checkoutUrl', () => {
  it('is {checkout_url}/flow/<intent_id>/scan#token=<SESSION_JWT>', () => {
    expect(checkoutUrl(INPUT)).toBe('https://checkout.example/flow/pi_1/scan#token=a.b-_.c');
  });

  it('has the token and the scheme only in the fragment', () => {
    const url = new URL(checkoutUrl({ ...INPUT, returnScheme: 'partner.app+1' }));
    expect(url.search).toBe('');
    expect(url.hash).toBe('#token=a.b-_.c&return_scheme=partner.app%2B1');
  });

  it.each([
    ...['http', 'HTTPS', 'javascript', 'data', 'file', 'intent', 'blob', 'about', 'vbscript'],
    ...['1app', 'a b', 'app://', 'a', `a${'b'.repeat(63)}`, ''],
  ])('rejects the return scheme %j', (returnScheme) => {
    const make = () => checkoutUrl({ ...INPUT, returnScheme });
    expect(make).toThrow('not a valid URL scheme for an app');
  });

  it.each(['checkoutUrl', 'intentId', 'sessionToken'])('rejects an empty %s', (part) => {
    const make = () => checkoutUrl({ ...INPUT, [part]: '' });
    expect(make).toThrow(new TypeError(`${part} is empty: is its variable set?`));
  });

  it('writes a scheme in lower case, because registered schemes are in lower case', () => {
    expect(checkoutUrl({ ...INPUT, returnScheme: 'PartnerApp' })).toMatch(
      /&return_scheme=partnerapp$/,
    );
  });
});
