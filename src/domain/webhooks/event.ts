// Webhook event types, and which are sent by default (decisions 17 and 18).

export const WEBHOOK_EVENT_TYPES = [
  'payment_intent.captured',
  'payment_intent.failed',
  'payment_intent.refunded',
  'payment_intent.expired',
  'payment_intent.cancelled',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Sent to every partner that has an endpoint; the other types only on request. */
export const WEBHOOK_EVENT_TYPES_BY_DEFAULT: readonly WebhookEventType[] = [
  'payment_intent.captured',
  'payment_intent.failed',
  'payment_intent.refunded',
];

/** The owner to which a partner's webhook secret is sealed. */
export function webhookSecretOwner(partnerId: string): string {
  return `webhook:${partnerId}`;
}
