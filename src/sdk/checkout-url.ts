// The address at which the hosted checkout opens (protocol 6.1).
import { isReturnScheme } from '../domain/return-scheme';

export interface CheckoutUrlInput {
  /** The checkout's base address, without a trailing `/flow`. */
  readonly checkoutUrl: string;
  readonly intentId: string;
  /** From {@link mintSessionToken}. */
  readonly sessionToken: string;
  /** Your app's registered scheme in lower case, such as `partnerapp`, to which the checkout returns. */
  readonly returnScheme?: string;
}

/**
 * "`{checkout_url}/flow/<intent_id>/scan#token=<SESSION_JWT>`. The token travels in the URL hash fragment so that it is not sent to any server
 * in HTTP requests": do not log what this returns. Whoever holds it before the payer confirms can confirm.
 *
 * @throws RangeError when `returnScheme` is not a scheme that an app may own
 * @example
 * ```ts
 * const url = checkoutUrl({ checkoutUrl: 'https://checkout.example', intentId, sessionToken, returnScheme: 'partnerapp' });
 * ```
 */
export function checkoutUrl(input: CheckoutUrlInput): string {
  const base = input.checkoutUrl.replace(/\/+$/, '');
  const page = `${base}/flow/${encodeURIComponent(input.intentId)}/scan`;
  const fragment = `token=${encodeURIComponent(input.sessionToken)}`;
  if (input.returnScheme === undefined) return `${page}#${fragment}`;
  return `${page}#${fragment}&return_scheme=${encodeURIComponent(checkedScheme(input.returnScheme))}`;
}

function checkedScheme(scheme: string): string {
  if (isReturnScheme(scheme)) return scheme;
  throw new RangeError(`not a scheme that an app may own: ${scheme}`);
}
