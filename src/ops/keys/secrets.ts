// The secrets that payctl makes, of 32 random bytes each. They are printed once, and Postgres holds
// them sealed.
import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** Its UTF-8 bytes are the key of the HMAC over signed requests (protocol 3.3). */
export function makeSigningSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** In the format of Standard Webhooks (decision 18). */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** @param secret null if the command that asked for it has printed it */
export function secretSentence(name: string, secret: string | null): string {
  return secret === null
    ? `${name} was shown by the command that asked for it.`
    : `${name} is shown only once: hand it over now.`;
}
