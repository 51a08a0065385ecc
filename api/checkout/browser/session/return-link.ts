// The link back to the app (protocol 6.2): only with a scheme that the partner has registered, and
// never with a scheme that browsers handle themselves.
import type { IntentStatus } from '../../../../src/domain/intents/payment-intent';
import { isReturnScheme } from '../../../../src/domain/return-scheme';

/**
 * The status that the app gets. It is a hint: the partner reads the API, or waits for the webhook.
 */
export type ReturnStatus = 'captured' | 'failed' | 'cancelled' | 'expired' | 'pending';

/**
 * The scheme that the page may open: that of the link, or without one the only registered scheme.
 * Null if it is not registered, or if there is no telling which of several is meant.
 */
export function allowedScheme(asked: string | null, registered: readonly string[]): string | null {
  const scheme = asked?.toLowerCase() ?? (registered.length === 1 ? registered[0] : undefined);
  if (scheme === undefined || !isReturnScheme(scheme) || !registered.includes(scheme)) return null;
  return scheme;
}

export function unregisteredWarning(asked: string, registered: readonly string[]): string {
  return `Checkout: the return scheme ${JSON.stringify(asked)} is not registered, so this page does not go back to the app. Registered: ${registered.join(', ') || 'none'}. The operator registers it: payctl partners set PARTNER --return-scheme SCHEME.`;
}

export function returnUrl(scheme: string, intentId: string, status: ReturnStatus): string {
  const query = `intent_id=${encodeURIComponent(intentId)}&status=${status}`;
  return `${scheme}://payment-result?${query}`;
}

/**
 * `refunded` is none of the five return statuses, so the app gets `pending` and the partner reads
 * the API.
 */
export function toReturnStatus(status: IntentStatus): ReturnStatus {
  switch (status) {
    case 'captured':
    case 'failed':
    case 'cancelled':
    case 'expired':
      return status;
    case 'created':
    case 'authorized':
    case 'refunded':
      return 'pending';
  }
}
