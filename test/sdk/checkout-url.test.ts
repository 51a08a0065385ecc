// Protocol 6.1.
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

  it('carries the token and the scheme in the fragment alone', () => {
    const url = new URL(checkoutUrl({ ...INPUT, returnScheme: 'partner.app+1' }));
    expect(url.search).toBe('');
    expect(url.hash).toBe('#token=a.b-_.c&return_scheme=partner.app%2B1');
  });

  it.each([
    ...['http', 'HTTPS', 'javascript', 'data', 'file', 'intent', 'blob', 'about', 'vbscript'],
    ...['1app', 'a b', 'app://', 'a', `a${'b'.repeat(63)}`, ''],
  ])('refuses to return to %j', (returnScheme) => {
    const make = () => checkoutUrl({ ...INPUT, returnScheme });
    expect(make).toThrow('not a scheme that an app may own');
  });

  it('refuses a scheme that no partner can have registered, since schemes are in lower case', () => {
    expect(() => checkoutUrl({ ...INPUT, returnScheme: 'PartnerApp' })).toThrow(RangeError);
  });
});
