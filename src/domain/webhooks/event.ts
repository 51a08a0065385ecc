// What partners are told by webhook (decisions 17 and 18): their names, and which are sent unasked.

export const WEBHOOK_EVENT_TYPES = [
  'payment_intent.captured',
  'payment_intent.failed',
  'payment_intent.refunded',
  'payment_intent.expired',
  'payment_intent.cancelled',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Sent to every partner that has an endpoint; the other types only on request (decision 17). */
export const WEBHOOK_EVENT_TYPES_BY_DEFAULT: readonly WebhookEventType[] = [
  'payment_intent.captured',
  'payment_intent.failed',
  'payment_intent.refunded',
];

/** For whom the secret of a partner's webhooks is sealed. */
export function webhookSecretOwner(partnerId: string): string {
  return `webhook:${partnerId}`;
}
