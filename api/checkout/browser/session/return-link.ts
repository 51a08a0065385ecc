// The way back to the app (protocol 6.2): only by a scheme that the partner has registered, and never by one
// that a browser acts on itself.
import type { IntentStatus } from '../../../../src/domain/intents/payment-intent';
import { isReturnScheme } from '../../../../src/domain/return-scheme';

/** What the app is told. A hint: the partner asks the API, or waits for the webhook. */
export type ReturnStatus = 'captured' | 'failed' | 'cancelled' | 'expired' | 'pending';

/** The scheme of the link, when the page may follow it. */
export function allowedScheme(asked: string | null, registered: readonly string[]): string | null {
  if (asked === null || !isReturnScheme(asked) || !registered.includes(asked)) return null;
  return asked;
}

export function returnUrl(scheme: string, intentId: string, status: ReturnStatus): string {
  const query = `intent_id=${encodeURIComponent(intentId)}&status=${status}`;
  return `${scheme}://payment-result?${query}`;
}

/** `refunded` is none of the five: whoever wants to know more than "not over yet" asks the API. */
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
