// Writes a PaymentIntent to JSON: exactly the documented members, in this order, so that a replay
// equals the original byte for byte (protocol 2.1; decision 14). webhook_body() in migration 0004
// writes the same members.
import type { IntentStatus, PaymentIntent } from '../../src/domain/intents/payment-intent';

/** @param status the status to show instead of the intent's own */
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
