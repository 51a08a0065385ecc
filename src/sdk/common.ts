// What the two entries of the SDK share (decision 117): index.ts and edge.ts.
export { checkoutUrl, type CheckoutUrlInput } from './checkout-url';
export { createClient, type Client, type CreateIntentInput } from './client/client';
export type { CallOptions, ClientOptions, CreateIntentOptions } from './client/client-options';
export type { Now } from './clock';
export {
  ApiError,
  ConnectionError,
  PaymentIntentsError,
  WebhookVerificationError,
  type ApiErrorCode,
  type ConnectionFailure,
  type WebhookRefusal,
} from './errors';
export type { Intent } from './intent';
export {
  keySet,
  mintSessionToken,
  type KeySet,
  type KycAttestation,
  type PublicKey,
  type PublishedKey,
  type SanctionsAttestation,
  type SessionTokenInput,
} from './session-token';
export type { LocalAmount, Payout } from './webhooks/payout';
export type {
  PaymentIntentEvent,
  UnknownEvent,
  VerifyWebhookOptions,
  WebhookEvent,
  WebhookHeaders,
} from './webhooks/read-webhook';
export type { Corridor } from '../corridors/names';
export type { IntentStatus } from '../domain/intents/payment-intent';
export type { WebhookEventType } from '../domain/webhooks/event';
