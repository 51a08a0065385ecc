// Secrets as payctl makes them, with 32 random bytes each. They are printed once and lie sealed in Postgres.
import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** Its UTF-8 bytes key the HMAC of signed requests (architecture, section 7). */
export function makeSigningSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** In the form of Standard Webhooks (decision 18). */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
