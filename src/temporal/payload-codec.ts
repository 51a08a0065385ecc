// Encrypts the payloads of workflows with AES-256-GCM, in the format of Temporal's encryption
// samples, so that their codec servers and tools can decrypt them (decision 138).
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

/** A key of 32 bytes, and the id that is stored beside what it encrypted. */
export interface PayloadKey {
  readonly id: string;
  readonly key: Buffer;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENCODING = 'binary/encrypted';

const { Payload: PayloadMessage } = temporal.api.common.v1;

/** The data converter of clients and workers; without keys, the SDK's own. */
export function dataConverterOf({
  payloadKeys: keys = [],
}: {
  readonly payloadKeys?: readonly PayloadKey[];
}): DataConverter {
  const [first] = keys;
  return first === undefined ? {} : { payloadCodecs: [createPayloadCodec(first, keys)] };
}

function createPayloadCodec(
  encryption: PayloadKey,
  decryption: readonly PayloadKey[],
): PayloadCodec {
  const byId = new Map(decryption.map(({ id, key }) => [id, key]));
  return {
    encode: (payloads) => Promise.resolve(payloads.map((one) => encrypt(one, encryption))),
    // A promise from the first, so that a missing key rejects it instead of being thrown.
    decode: (payloads) => Promise.resolve().then(() => payloads.map((one) => decrypt(one, byId))),
  };
}

function encrypt(payload: Payload, { id, key }: PayloadKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const plain = PayloadMessage.encode(payload).finish();
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { metadata: { encoding: bytes(ENCODING), 'encryption-key-id': bytes(id) }, data };
}

/**
 * A payload that is not encrypted is returned as it is: it was written before there were keys.
 * @throws Error if the key is not among ours, or the data was changed
 */
function decrypt(payload: Payload, keys: ReadonlyMap<string, Buffer>): Payload {
  const { metadata, data } = payload;
  if (text(metadata?.['encoding']) !== ENCODING || !data) return payload;
  const id = text(metadata?.['encryption-key-id']);
  const key = keys.get(id);
  if (key === undefined) throw new Error(`TEMPORAL_PAYLOAD_KEYS has no key with the id "${id}"`);
  // Without the length, Node accepts a shorter tag, which is easier to forge.
  const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  const plain = Buffer.concat([
    decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)),
    decipher.final(),
  ]);
  return PayloadMessage.decode(plain);
}

function bytes(value: string): Uint8Array {
  return Buffer.from(value);
}

function text(value: Uint8Array | null | undefined): string {
  return value ? Buffer.from(value).toString() : '';
}
