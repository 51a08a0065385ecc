// Payloads are stored encrypted, in the format of Temporal's encryption samples.
import { createDecipheriv, randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { dataConverterOf, type PayloadKey } from '../../src/temporal/payload-codec';

const aKey = (id: string): PayloadKey => ({ id, key: randomBytes(32) });
const first = aKey('2026-11');
const second = aKey('2026-12');
const VALUE = { partnerId: 'acme', amountUsdCents: 1_250 };
const plain = defaultPayloadConverter.toPayload(VALUE);

function codecOf(...payloadKeys: readonly PayloadKey[]) {
  const [codec] = dataConverterOf({ payloadKeys }).payloadCodecs ?? [];
  if (codec === undefined) throw new Error('there is no codec');
  return codec;
}

const valuesOf = (payloads: readonly Payload[]) =>
  payloads.map((payload) => defaultPayloadConverter.fromPayload(payload));

it('needs no codec without keys', () => {
  expect(dataConverterOf({})).toEqual({});
});

it('encrypts with the first key, and decrypts what another process encrypted', async () => {
  const [stored] = await codecOf(first, second).encode([plain]);
  expect(String(Buffer.from(stored?.data ?? []))).not.toContain('acme');
  const ids = Object.entries(stored?.metadata ?? {}).map(([name, id]) => [
    name,
    String(Buffer.from(id)),
  ]);
  expect(ids).toEqual([
    ['encoding', 'binary/encrypted'],
    ['encryption-key-id', first.id],
  ]);
  expect(valuesOf(await codecOf(second, first).decode(stored ? [stored] : []))).toEqual([VALUE]);
});

it('stores a nonce of 12 bytes, the ciphertext and the tag, as the samples do', async () => {
  const [stored] = await codecOf(first).encode([plain]);
  const data = Buffer.from(stored?.data ?? []);
  const decipher = createDecipheriv('aes-256-gcm', first.key, data.subarray(0, 12));
  decipher.setAuthTag(data.subarray(-16));
  const bytes = Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]);
  expect(valuesOf([temporal.api.common.v1.Payload.decode(bytes)])).toEqual([VALUE]);
});

it('encrypts equal payloads differently', async () => {
  const [one, other] = await codecOf(first).encode([plain, plain]);
  expect(one?.data).not.toEqual(other?.data);
});

it('reads what was stored before there were keys', async () => {
  expect(valuesOf(await codecOf(first).decode([plain]))).toEqual([VALUE]);
});

it('names the key that it does not have', async () => {
  const stored = await codecOf(first).encode([plain]);
  await expect(codecOf(second).decode(stored)).rejects.toThrow(
    'TEMPORAL_PAYLOAD_KEYS has no key with the id "2026-11"',
  );
});

it.each([0, 12, -1])('rejects data that was changed at byte %i', async (at) => {
  const [stored] = await codecOf(first).encode([plain]);
  const data = Buffer.from(stored?.data ?? []);
  const index = at < 0 ? data.length + at : at;
  data.writeUInt8(data.readUInt8(index) ^ 1, index);
  const changed = [{ ...stored, data }];
  await expect(codecOf(first).decode(changed)).rejects.toThrow('authenticate');
});

it('rejects data that is too short for a whole tag', async () => {
  const [stored] = await codecOf(first).encode([plain]);
  const cut = { ...stored, data: (stored?.data ?? Buffer.alloc(0)).subarray(0, 8) };
  await expect(codecOf(first).decode([cut])).rejects.toThrow(/tag length/);
});
