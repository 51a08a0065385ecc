// Decision 20: payment codes as other projects publish them, and what becomes of them here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crcOf } from '../../src/domain/qr-crc';
import { readDataObjects } from '../../src/domain/qr-objects';
import { readQrPayload } from '../../src/domain/qr-payload';
import { isQrRefusal } from '../../src/domain/qr-refusal';
import type { QrPayee } from '../../src/domain/qr-schemes';

interface Vectors {
  readonly accepted: readonly {
    readonly name: string;
    readonly source: string;
    readonly payload: string;
    readonly payee: object;
  }[];
  readonly refused: readonly {
    readonly name: string;
    readonly source: string;
    readonly payload: string;
    readonly refusal: string;
    readonly note: string;
  }[];
}

const FILE = join(__dirname, '..', 'vectors', 'qr-payloads.json');
const { accepted, refused } = JSON.parse(readFileSync(FILE, 'utf8')) as Vectors;

/** As the vectors spell a payee. */
function spelled(payee: QrPayee): object {
  switch (payee.kind) {
    case 'proxy':
      return { kind: 'proxy', proxy_type: payee.proxyType, proxy_id: payee.proxyId };
    case 'biller': {
      const { billerId, reference1, reference2 } = payee;
      return { kind: 'biller', biller_id: billerId, reference1, reference2 };
    }
    case 'bank': {
      const { bankId, accountType, accountId } = payee;
      return { kind: 'bank', bank_id: bankId, account_type: accountType, account_id: accountId };
    }
  }
}

function readAs(name: string, source: string, payload: string): object {
  const result = readQrPayload(payload);
  if (isQrRefusal(result)) return result;
  return {
    name,
    source,
    payload: result.raw,
    corridor: result.corridor,
    initiation: result.initiation,
    amount_minor_units: result.amountMinorUnits,
    merchant_name: result.merchant.name,
    merchant_city: result.merchant.city,
    payee: spelled(result.payee),
  };
}

describe('a published payment code', () => {
  it.each(accepted)('is read: $name ($source)', (vector) => {
    expect(readAs(vector.name, vector.source, vector.payload)).toEqual(vector);
  });

  it.each(refused)('is refused: $name ($source)', ({ payload, refusal }) => {
    expect(readQrPayload(payload)).toMatchObject({ refusal });
  });

  it.each(refused.filter(({ refusal }) => refusal !== 'crc_wrong'))(
    'is refused for what it says and not for its check value: $name',
    ({ payload }) => {
      expect(payload.slice(-4)).toBe(crcOf(payload.slice(0, -4)));
    },
  );

  it('of EMVCo’s own specification has lengths in characters', () => {
    const sample = refused.find(({ name }) => name === 'sample of the EMVCo specification');
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
