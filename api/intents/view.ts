// A PaymentIntent on the wire: exactly the documented members, in this order, so that a replay is the original byte for
// byte (protocol 2.1; decision 14). webhook_body() in migration 0004 writes the same.
import type { IntentStatus, PaymentIntent } from '../../src/domain/intents/payment-intent';

/** @param status the one to be shown */
export function toWire(intent: PaymentIntent, status: IntentStatus = intent.status): string {
  return JSON.stringify({
    intent_id: intent.intentId,
    status,
    amount_usd_cents: intent.amountUsdCents,
    corridor: intent.corridor,
    created_at: intent.createdAt.toISOString(),
    captured_at: status === 'captured' ? intent.capturedAt?.toISOString() : undefined,
  });
}
