// Input of a payment's workflow.
import type { Corridor } from '../../corridors/names';
import type { IntentId, PartnerId } from '../ids';
import type { UsdCents } from '../money';
import type { IntentStatus, PaymentIntent } from './payment-intent';

/** Input of the workflow. It holds no secret, token, QR payload or partner_user_id. */
export interface PaymentStart {
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  readonly status: IntentStatus;
  /** Milliseconds since 1970, as in the row. A row that was lost and created again has another. */
  readonly createdAtMs: number;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
  /**
   * Set by a process that has read the committed row. If the workflow then finds no row, Postgres
   * has lost commits. Manual starts do not have it.
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
