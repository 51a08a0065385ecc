// What partners import: signed calls, session tokens, the checkout's address and webhooks (spec, "End-to-end flow").
export { checkoutUrl, type CheckoutUrlInput } from './checkout-url';
export { createClient, type Client, type ClientOptions, type CreateIntentInput } from './client';
export {
  ApiError,
  ConnectionError,
  WebhookVerificationError,
  type ApiErrorCode,
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
export {
  verifyWebhook,
  type PaymentIntentEvent,
  type UnknownEvent,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookHeaders,
} from './verify-webhook';
