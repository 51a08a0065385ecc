// What a payment's run is started with.
import type { Corridor } from '../corridor';
import type { IntentId, PartnerId } from '../ids';
import type { UsdCents } from '../money';
import type { IntentStatus, PaymentIntent } from './payment-intent';

/** What a run is started with: no secret, token, QR payload or partner_user_id (architecture, section 3). */
export interface PaymentStart {
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  readonly status: IntentStatus;
  /** Milliseconds since 1970, as the row has it. A row that was lost and created again has another. */
  readonly createdAtMs: number;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
  /**
   * Set by a process that has read the committed row: a workflow that then finds no row proves that Postgres lost commits.
   * Starts by hand do not have it.
   */
  readonly installationId?: string;
}

/** @param installationId of the process that has read the row, or has just committed it */
export function toPaymentStart(intent: PaymentIntent, installationId?: string): PaymentStart {
  return {
    intentId: intent.intentId,
    partnerId: intent.partnerId,
    amountUsdCents: intent.amountUsdCents,
    corridor: intent.corridor,
    status: intent.status,
    createdAtMs: intent.createdAt.getTime(),
    expiresAtMs: intent.expiresAt.getTime(),
    ...(installationId !== undefined && { installationId }),
  };
}
