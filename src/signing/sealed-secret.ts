// Secrets at rest: AES-256-GCM under the key-encryption key, bound to their owner as associated data
// (architecture, section 5), so that a sealed secret copied to another row does not open.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

export interface SecretSeal {
  /** @param owner the key id, or `webhook:<partner_id>` */
  seal(secret: string, owner: string): Buffer;
  /** @throws Error when the sealed bytes were changed, moved to another owner, or sealed under another key. */
  open(sealed: Uint8Array, owner: string): string;
}

/** @param key 32 bytes */
export function createSecretSeal(key: Uint8Array): SecretSeal {
  return {
    seal(secret, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner, 'utf8'));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), text]);
    },
    open(sealed, owner) {
      if (sealed[0] !== VERSION)
        throw new Error(`sealed secret of ${owner} has an unknown version`);
      const iv = sealed.subarray(1, 1 + IV_BYTES);
      const tag = sealed.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(owner, 'utf8')).setAuthTag(tag);
      const text = sealed.subarray(1 + IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    },
  };
}
