// The link back to the app (protocol 6.2): only with a scheme that the partner has registered, and
// never with a scheme that browsers handle themselves.
import type { IntentStatus } from '../../../../src/domain/intents/payment-intent';
import { isReturnScheme } from '../../../../src/domain/return-scheme';

/**
 * The status that the app gets. It is a hint: the partner reads the API, or waits for the webhook.
 */
export type ReturnStatus = 'captured' | 'failed' | 'cancelled' | 'expired' | 'pending';

/** The link's scheme if the page may open it, else null. */
export function allowedScheme(scheme: string | null, registered: readonly string[]): string | null {
  if (scheme === null || !isReturnScheme(scheme) || !registered.includes(scheme)) return null;
  return scheme;
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
