// The exports of the SDK: signed calls, session tokens, the checkout URL, webhooks, and
// explanations of signatures and tokens. The SDK is published as its own package (decision 117).
export * from './common';
export { explainToken, type ExplainTokenInput } from './explain-token';
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
