// The PaymentIntent and its seven statuses (protocol 2).
import type { Corridor } from '../../corridors/names';
import type { IntentId, PartnerId } from '../ids';
import type { UsdCents } from '../money';

export const INTENT_STATUSES = [
  'created',
  'authorized',
  'captured',
  'failed',
  'expired',
  'refunded',
  'cancelled',
] as const;

export type IntentStatus = (typeof INTENT_STATUSES)[number];

/**
 * An intent as the service knows it. The wire shows a part of this only: see api/intents/view.ts.
 */
export interface PaymentIntent {
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  readonly status: IntentStatus;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  readonly createdAt: Date;
  /** The instant from which it can no longer be confirmed (decision 15). */
  readonly expiresAt: Date;
  readonly capturedAt: Date | null;
}
