// Builds the URL at which the hosted checkout opens (protocol 6.1).
import { isReturnScheme } from '../domain/return-scheme';
import { present } from './present';

export interface CheckoutUrlInput {
  /** The base URL of the checkout, without `/flow`. */
  readonly checkoutUrl: string;
  readonly intentId: string;
  /** The token from {@link mintSessionToken}, minted for this intent. */
  readonly sessionToken: string;
  /**
   * The registered URL scheme of your app, such as `partnerapp`, in any case. Without it the page
   * returns to the registered scheme, if there is exactly one.
   */
  readonly returnScheme?: string;
}

/**
 * Returns the checkout URL: "`{checkout_url}/flow/<intent_id>/scan#token=<SESSION_JWT>`. The token
 * travels in the URL hash fragment so that it is not sent to any server in HTTP requests". Do not
 * log the URL: until the payer has confirmed, anyone who has it can confirm.
 *
 * @throws TypeError when a part is empty
 * @throws RangeError when `returnScheme` is not a valid scheme for an app
 * @example
 * ```ts
 * const url = checkoutUrl({
 *   checkoutUrl: 'https://checkout.example',
 *   intentId,
 *   sessionToken,
 *   returnScheme: 'partnerapp',
 * });
 * ```
 */
export function checkoutUrl(input: CheckoutUrlInput): string {
  const base = present('checkoutUrl', input.checkoutUrl).replace(/\/+$/, '');
  const page = `${base}/flow/${encodeURIComponent(present('intentId', input.intentId))}/scan`;
  const fragment = `token=${encodeURIComponent(present('sessionToken', input.sessionToken))}`;
  if (input.returnScheme === undefined) return `${page}#${fragment}`;
  const returnScheme = encodeURIComponent(checkedScheme(input.returnScheme));
  return `${page}#${fragment}&return_scheme=${returnScheme}`;
}

function checkedScheme(scheme: string): string {
  const lower = scheme.toLowerCase();
  if (isReturnScheme(lower)) return lower;
  throw new RangeError(`not a valid URL scheme for an app: ${scheme}`);
}
