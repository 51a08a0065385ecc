// The SDK for edge runtimes, which have Web APIs and no Node modules (decision 117). Its names are
// those of index.ts without those for development, which need Node: `explainSignature`,
// `explainToken` and `generateTestWebhook`. `verifyWebhook` and `canonicalRequest` return promises,
// as Web Crypto does.
export * from './common';
export { canonicalRequest } from './web-crypto';
export { verifyWebhook } from './webhooks/verify-webhook-edge';
export type { SignableRequest } from '../signing/canonical-request';
