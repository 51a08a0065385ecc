// Payment codes that other projects publish, each accepted or rejected as listed (decision 20).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crcOf } from '../../../src/domain/qr/objects';
import { readDataObjects } from '../../../src/domain/qr/objects';
import { readQrPayload } from '../../../src/domain/qr/payload';
import { isQrRejection } from '../../../src/domain/qr/rejection';

interface Vector {
  readonly name: string;
  readonly source: string;
  readonly payload: string;
}

interface Vectors {
  readonly accepted: readonly Vector[];
  readonly refused: readonly (Vector & { readonly refusal: string })[];
}

const FILE = join(__dirname, '..', '..', 'vectors', 'qr-payloads.json');
const { accepted, refused: rejected } = JSON.parse(readFileSync(FILE, 'utf8')) as Vectors;

/** The payee with member names as in the vectors: `proxy_type` for `proxyType`. */
const toSnakeCase = (payee: object) =>
  Object.fromEntries(
    Object.entries(payee).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value as unknown,
    ]),
  );

function readAs(name: string, source: string, payload: string): object {
  const result = readQrPayload(payload);
  if (isQrRejection(result)) return result;
  const { raw, corridor, initiation, amountMinorUnits, merchant, payee } = result;
  return {
    ...{ name, source, payload: raw, corridor, initiation, amount_minor_units: amountMinorUnits },
    ...{ merchant_name: merchant.name, merchant_city: merchant.city, payee: toSnakeCase(payee) },
  };
}

describe('a published payment code', () => {
  it.each(accepted)('is read: $name ($source)', (vector) => {
    expect(readAs(vector.name, vector.source, vector.payload)).toEqual(vector);
  });

  it.each(rejected)('is rejected: $name ($source)', ({ payload, refusal }) => {
    expect(readQrPayload(payload)).toMatchObject({ rejection: refusal });
  });

  it.each(rejected.filter(({ refusal }) => refusal !== 'crc_wrong'))(
    'is rejected for its content and not for its check value: $name',
    ({ payload }) => {
      expect(payload.slice(-4)).toBe(crcOf(payload.slice(0, -4)));
    },
  );

  it('of EMVCo’s own specification has lengths in characters', () => {
    const sample = rejected.find(({ name }) => name === 'sample of the EMVCo specification');
    const language = readDataObjects(sample?.payload ?? '').get('64') ?? '';
    expect([...readDataObjects(language)]).toEqual([
      ['00', 'ZH'],
      ['01', '最佳运输'],
      ['02', '北京'],
    ]);
  });
});

describe('the check value', () => {
  it.each([
    ['123456789', '29B1'],
    ['', 'FFFF'],
    ['Café', '8FDF'],
    ['ร้านทดสอบ', '1EA0'],
    ['a\u{1F600}b', 'BF6B'],
  ])('of "%s" is %s, over its UTF-8 bytes', (text, crc) => {
    expect(crcOf(text)).toBe(crc);
  });
});
