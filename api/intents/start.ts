// What the run of an intent is started with.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { PaymentStart } from '../../src/domain/payment-start';

export function toStart(intent: PaymentIntent): PaymentStart {
  return {
    intentId: intent.intentId,
    partnerId: intent.partnerId,
    amountUsdCents: intent.amountUsdCents,
    corridor: intent.corridor,
    status: intent.status,
    expiresAtMs: intent.expiresAt.getTime(),
  };
}
