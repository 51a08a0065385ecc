// The SDK for edge runtimes, which have Web APIs and no Node modules (decision 117). Its names are
// those of index.ts without those for development, which need Node: `explainSignature`,
// `explainToken` and `generateTestWebhook`. `verifyWebhook` and `canonicalRequest` return promises,
// as Web Crypto does.
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
export { canonicalRequest } from './web-crypto';
export type {
  PaymentIntentEvent,
  UnknownEvent,
  VerifyWebhookOptions,
  WebhookEvent,
  WebhookHeaders,
} from './webhooks/read-webhook';
export { verifyWebhook } from './webhooks/verify-webhook-edge';
export type { SignableRequest } from '../signing/canonical-request';
export type { Corridor } from '../domain/corridor';
export type { IntentStatus } from '../domain/intents/payment-intent';
export type { WebhookEventType } from '../domain/webhooks/event';
