// The way back to the app (protocol 6.2).
import { INTENT_STATUSES } from '../../src/domain/intents/payment-intent';
import {
  allowedScheme,
  returnUrl,
  toReturnStatus,
} from '../../api/checkout/browser/session/return-link';

describe('the page returns', () => {
  it('by "<return_scheme>://payment-result?intent_id=<intent_id>&status=<result>"', () => {
    expect(returnUrl('acme-pay', 'pi_1', 'captured')).toBe(
      'acme-pay://payment-result?intent_id=pi_1&status=captured',
    );
  });

  it.each(['acme', 'ACME', 'Acme'])('to %s, which the partner has registered', (scheme) => {
    expect(allowedScheme(scheme, ['other', 'acme'])).toBe('acme');
  });

  it('without a scheme to the only one that is registered', () => {
    expect(allowedScheme(null, ['acme'])).toBe('acme');
  });

  it.each([
    ['acme', []],
    ['acme', ['acme-pay']],
    ['acme:', ['acme']],
    ['other', ['acme']],
    [null, []],
    [null, ['acme', 'acme-pay']],
    ['', ['']],
    // Never allowed, even if they are registered.
    ...['http', 'https', 'javascript', 'data', 'file', 'intent', 'blob', 'about'].map(
      (scheme) => [scheme, [scheme]] as const,
    ),
    ['JavaScript', ['javascript']],
    [null, ['javascript']],
  ] as const)('never to %s where %j are registered', (scheme, registered) => {
    expect(allowedScheme(scheme, registered)).toBeNull();
  });

  it('with one of five words for each of the seven statuses', () => {
    const words = INTENT_STATUSES.map((status) => `${status}: ${toReturnStatus(status)}`);
    expect(words).toEqual([
      'created: pending',
      'authorized: pending',
      'captured: captured',
      'failed: failed',
      'expired: expired',
      'refunded: pending',
      'cancelled: cancelled',
    ]);
  });
});
