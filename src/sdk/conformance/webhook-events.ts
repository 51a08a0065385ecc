// Webhook events for the checks of a receiver. Their intent belongs to no partner.
import { makeUniqueText, systemNow } from '../clock';

export interface Message {
  readonly id: string;
  /** Whole seconds since 1970, of this attempt. */
  readonly timestamp: string;
  readonly body: string;
}

interface EventChange {
  readonly type?: string;
  /** The number of spaces that indent the JSON. */
  readonly spaces?: number;
  readonly shiftSeconds?: number;
}

export function anEvent(change: EventChange = {}): Message {
  const { type = 'payment_intent.cancelled', spaces = 0, shiftSeconds = 0 } = change;
  const now = systemNow();
  const data = {
    intent_id: `pi_${conformanceId()}`,
    status: 'cancelled',
    amount_usd_cents: 1,
    corridor: 'th_qrpay',
    created_at: now.toISOString(),
  };
  const payout = { reference: null, local: null, code: null };
  return {
    id: newEventId(),
    timestamp: String(Math.floor(now.getTime() / 1_000) + shiftSeconds),
    body: JSON.stringify({ type, timestamp: now.toISOString(), data, payout }, null, spaces),
  };
}

export function newEventId(): string {
  return `evt_${conformanceId()}`;
}

function conformanceId(): string {
  return `conformance${makeUniqueText().replaceAll('-', '')}`;
}
