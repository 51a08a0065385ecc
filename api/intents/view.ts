// A PaymentIntent on the wire: exactly the documented members, in this order, so that a replay is the original byte for
// byte (spec, "PaymentIntent"; decisions 14 and 21). webhook_body() in migration 0004 writes the same.
import type { PaymentIntent } from '../../src/domain/payment-intent';

export function toWire(intent: PaymentIntent): string {
  return JSON.stringify({
    intent_id: intent.intentId,
    status: intent.status,
    amount_usd_cents: intent.amountUsdCents,
    corridor: intent.corridor,
    created_at: intent.createdAt.toISOString(),
    ...(intent.status === 'captured' && { captured_at: intent.capturedAt?.toISOString() }),
  });
}
