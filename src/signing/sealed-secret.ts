// Secrets at rest: AES-256-GCM under the key-encryption key, bound to their owner as associated data
// (architecture, section 5), so that a sealed secret copied to another row does not open. One key seals; further keys
// only open, for the time in which one key-encryption key replaces another.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + IV_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';

export interface SecretSeal {
  /** @param owner the key id, or `webhook:<partner_id>` */
  seal(secret: string, owner: string): Buffer;
  /** @throws UnopenedSecret */
  open(sealed: Uint8Array, owner: string): string;
  /**
   * The same secret sealed under the key that seals, or undefined when it is sealed under that key already.
   * @throws UnopenedSecret
   */
  reseal(sealed: Uint8Array, owner: string): Buffer | undefined;
}

/** Sealed bytes that were changed, cut, moved to another owner, or sealed under a key that is not known here. */
export class UnopenedSecret extends Error {
  override name = 'UnopenedSecret';

  constructor(owner: string) {
    super(`the sealed secret of ${owner} does not open under any key that is known here`);
  }
}

/**
 * @param key 32 bytes, under which secrets are sealed and opened
 * @param openingKeys tried after it, to open only; the cipher's own tag decides which key is the right one
 */
export function createSecretSeal(
  key: Uint8Array,
  openingKeys: readonly Uint8Array[] = [],
): SecretSeal {
  const keys = [key, ...openingKeys];
  const open = (sealed: Uint8Array, owner: string) => {
    for (const candidate of keys) {
      const secret = openUnder(candidate, sealed, owner);
      if (secret !== undefined) return secret;
    }
    throw new UnopenedSecret(owner);
  };
  const seal = (secret: string, owner: string) => sealUnder(key, secret, owner);
  return {
    seal,
    open,
    reseal: (sealed, owner) =>
      openUnder(key, sealed, owner) === undefined ? seal(open(sealed, owner), owner) : undefined,
  };
}

function sealUnder(key: Uint8Array, secret: string, owner: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner, 'utf8'));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), text]);
}

function openUnder(key: Uint8Array, sealed: Uint8Array, owner: string): string | undefined {
  if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES) return undefined;
  const iv = sealed.subarray(1, 1 + IV_BYTES);
  const tag = sealed.subarray(1 + IV_BYTES, HEADER_BYTES);
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(owner, 'utf8')).setAuthTag(tag);
  const text = decipher.update(sealed.subarray(HEADER_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    // All that can fail here is the tag: these bytes were not sealed under this key for this owner.
    return undefined;
  }
}
