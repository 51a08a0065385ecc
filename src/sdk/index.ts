// The exports of the SDK: signed calls, session tokens, the checkout URL, webhooks, and
// explanations of signatures and tokens. The SDK is published as its own package (decision 117).
export { checkoutUrl, type CheckoutUrlInput } from './checkout-url';
export { createClient, type Client, type CreateIntentInput } from './client/client';
export type { CallOptions, ClientOptions, CreateIntentOptions } from './client/client-options';
export type { Now } from './clock';
export { explainToken, type ExplainTokenInput } from './explain-token';
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
export type {
  PaymentIntentEvent,
  UnknownEvent,
  VerifyWebhookOptions,
  WebhookEvent,
  WebhookHeaders,
} from './webhooks/read-webhook';
export {
  generateTestWebhook,
  type TestWebhook,
  type TestWebhookInput,
} from './webhooks/test-webhook';
export { verifyWebhook } from './webhooks/verify-webhook';
export { canonicalRequest, type SignableRequest } from '../signing/canonical-request';
export {
  explainSignature,
  type ExplainSignatureInput,
  type SignatureComparison,
  type SignatureComponent,
  type SignatureExplanation,
} from '../signing/explain-signature';
export type { MistakenPart, SigningMistake } from '../signing/signing-mistakes';
export type { ExplainedTokenCheck, TokenExplanation, TokenReason } from '../signing/explain-token';
export type { Corridor } from '../domain/corridor';
export type { IntentStatus } from '../domain/intents/payment-intent';
export type { WebhookEventType } from '../domain/webhooks/event';
