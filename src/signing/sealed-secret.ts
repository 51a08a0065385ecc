// Encrypts secrets at rest with AES-256-GCM under the key-encryption key (architecture, section 5).
// The owner is associated data, so a sealed secret that is copied to another row cannot be opened.
// One key seals; other keys only open, while one key-encryption key replaces another.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + IV_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';

export type SecretSeal = ReturnType<typeof createSecretSeal>;

/** The sealed bytes were changed, cut, moved to another owner, or sealed under an unknown key. */
export class UnopenedSecret extends Error {
  override name = 'UnopenedSecret';

  constructor(owner: string) {
    super(`the sealed secret of ${owner} does not open under any configured key`);
  }
}

/**
 * @param key 32 bytes that seal and open secrets
 * @param openingKeys tried after `key`, only to open; the cipher's tag shows which key is right
 */
export function createSecretSeal(key: Uint8Array, openingKeys: readonly Uint8Array[] = []) {
  const keys = [key, ...openingKeys];
  /** @throws UnopenedSecret */
  const open = (sealed: Uint8Array, owner: string) => {
    for (const candidate of keys) {
      const secret = openUnder(candidate, sealed, owner);
      if (secret !== undefined) return secret;
    }
    throw new UnopenedSecret(owner);
  };
  /** @param owner the key id, or `webhook:<partner_id>` */
  const seal = (secret: string, owner: string) => sealUnder(key, secret, owner);
  return {
    seal,
    open,
    opens: (sealed: Uint8Array, owner: string) =>
      keys.some((one) => openUnder(one, sealed, owner) !== undefined),
    /**
     * Seals the secret again under the sealing key; undefined when that key has sealed it already.
     * @throws UnopenedSecret
     */
    reseal: (sealed: Uint8Array, owner: string) =>
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
    // Only the tag can fail here: the bytes were not sealed under this key for this owner.
    return undefined;
  }
}
