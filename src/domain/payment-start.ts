// What a payment's run is started with.
import type { Corridor } from './corridor';
import type { IntentId, PartnerId } from './ids';
import type { UsdCents } from './money';
import type { IntentStatus } from './payment-intent';

/** What a run is started with: no secret, token, QR payload or partner_user_id (architecture, section 3). */
export interface PaymentStart {
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  readonly status: IntentStatus;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}
