// The strict parser of scanned codes (decision 20): for every rule a code that keeps it and one
// that breaks it.
import type { Corridor } from '../../../src/corridors/names';
import { QR_PAYLOAD_MAX_BYTES } from '../../../src/domain/limits';
import { parseQrPayload, readQrPayload } from '../../../src/domain/qr/payload';
import { isQrRejection, type QrRejectionCode } from '../../../src/domain/qr/rejection';
import {
  aThaiCode,
  aVietnameseCode,
  objects,
  sealed,
  TH_BILL,
  TH_PROXY,
  VN_ACCOUNT,
  VN_BANK,
} from '../../support/payments/qr-codes';

const THAI = aThaiCode();
const VIETNAMESE = aVietnameseCode();
const MALFORMED = { rejection: 'malformed' } as const;
const AFTER_FORMAT = THAI.slice('000201'.length, -'6304AAAA'.length);

const inLowerCase = (code: string) => code.slice(0, -4) + code.slice(-4).toLowerCase();
/** As a bank writes it. Its check value has a letter. */
const VN_IN_LOWER_CASE =
  '00020101021138540010A00000072701240006970422011009000000000208QRIBFTTA53037045802VN6304d499';

/** The corridor of an accepted code, or why it is rejected. */
function outcomeOf(text: string): Corridor | QrRejectionCode {
  const result = readQrPayload(text);
  return isQrRejection(result) ? result.rejection : result.corridor;
}

/** A code of exactly this many bytes, padded with objects that are reserved for future use. */
function codeOfBytes(bytes: number): string {
  const missing = bytes - THAI.length;
  const count = Math.ceil(missing / 103);
  const padding = Array.from({ length: count }, (_, index) => {
    const share = Math.floor(missing / count) + (index < missing % count ? 1 : 0);
    return objects([String(65 + index), 'x'.repeat(share - 4)]);
  });
  return sealed(`000201${AFTER_FORMAT}${padding.join('')}`);
}

describe('the envelope of a payment code', () => {
  it.each<[string, string, Corridor | QrRejectionCode]>([
    ['a valid code is read', THAI, 'th_qrpay'],
    ['512 bytes are read', codeOfBytes(QR_PAYLOAD_MAX_BYTES), 'th_qrpay'],
    ['513 bytes are too long', codeOfBytes(QR_PAYLOAD_MAX_BYTES + 1), 'too_long'],
    ['much more is too long', '000201'.repeat(100_000), 'too_long'],
    ['fewer characters are too long when they are more bytes', '最'.repeat(171), 'too_long'],
    ['nothing is no code', '', 'not_a_payment_code'],
    ['an address is no code', 'https://shop.example/pay?000201', 'not_a_payment_code'],
    ['another version is no code', sealed(`000202${AFTER_FORMAT}`), 'not_a_payment_code'],
    ['a blank in front is no code', ` ${THAI}`, 'not_a_payment_code'],
    ['the format alone is malformed', '000201', 'malformed'],
    ['a newline at the end is malformed', `${THAI}\n`, 'malformed'],
    ['an object behind the check value is malformed', `${THAI}6102XX`, 'malformed'],
    ['no check value is malformed', `000201${AFTER_FORMAT}`, 'malformed'],
    ['another check value is wrong', `${THAI.slice(0, -4)}0000`, 'crc_wrong'],
    ['a check value in lower case is read', inLowerCase(THAI), 'th_qrpay'],
    [
      'a check value in both cases is read',
      `${THAI.slice(0, -2)}${THAI.slice(-2).toLowerCase()}`,
      'th_qrpay',
    ],
    ['a check value in lower case of a Vietnamese code is read', VN_IN_LOWER_CASE, 'vn_qrpay'],
    [
      'another check value in lower case is wrong',
      VN_IN_LOWER_CASE.replace(/9$/, '8'),
      'crc_wrong',
    ],
    ['a check value of other digits is wrong', `${VN_IN_LOWER_CASE.slice(0, -1)}٩`, 'crc_wrong'],
    ['a check value twice is a duplicate', sealed(THAI), 'duplicate_id'],
    ['a lone surrogate is malformed', sealed(`000201${AFTER_FORMAT}6401\ud800`), 'malformed'],
  ])('%s', (_name, text, outcome) => {
    expect(outcomeOf(text)).toBe(outcome);
  });

  it('does not accept the end of another value as the check value', () => {
    expect(outcomeOf(sealed(`000201${AFTER_FORMAT}6108`))).toBe('malformed');
    expect(outcomeOf(sealed(`000201${AFTER_FORMAT}6309x`))).toBe('malformed');
  });

  it('pads the check value with zeros', () => {
    const codes = Array.from({ length: 99 }, (_, index) =>
      aThaiCode({ '65': 'x'.repeat(index + 1) }),
    );
    expect(codes.some((code) => code.at(-4) === '0')).toBe(true);
    expect(codes.map(outcomeOf)).toEqual(codes.map(() => 'th_qrpay'));
  });
});

describe('the data objects of a payment code', () => {
  const withText = (text: string) => sealed(`000201${AFTER_FORMAT}${text}`);

  it.each<[string, string, Corridor | QrRejectionCode]>([
    ['a value of one character is read', withText('6501x'), 'th_qrpay'],
    ['a value of 99 characters is read', withText(`6599${'x'.repeat(99)}`), 'th_qrpay'],
    ['an empty value is malformed', withText('6500'), 'malformed'],
    ['a value shorter than its length is malformed', withText('6599x'), 'malformed'],
    ['an id of letters is malformed', withText('6A01x'), 'malformed'],
    ['a length of letters is malformed', withText('651Ax'), 'malformed'],
    ['a length with a sign is malformed', withText('65+1x'), 'malformed'],
    ['a length of another script is malformed', withText('65٠١x'), 'malformed'],
    ['half a header is malformed', withText('65'), 'malformed'],
    ['an id twice is a duplicate', withText('5802TH'), 'duplicate_id'],
    ['any order is read', sealed(`0002015802TH53037640102112937${TH_PROXY}`), 'th_qrpay'],
    ['a length counts characters', withText(objects(['64', '0002TH0104ร้าน'])), 'th_qrpay'],
    ['a length counts a rare character once', withText('64110002ZH0101𠮷'), 'th_qrpay'],
    ['a length that counts bytes is malformed', withText('64220002TH0112ร้าน'), 'malformed'],
    ['a name in ASCII is read', aThaiCode({ '59': 'SHOP ~1' }), 'th_qrpay'],
    ['a name of 99 characters is read', aThaiCode({ '59': 'x'.repeat(99) }), 'th_qrpay'],
    ['a name with an accent is malformed', aThaiCode({ '59': 'Café' }), 'malformed'],
    ['a name with a line break is malformed', aThaiCode({ '59': 'A\nB' }), 'malformed'],
    ['a name with DEL is malformed', aThaiCode({ '59': 'A\x7fB' }), 'malformed'],
    [
      'a control character in another language is malformed',
      aThaiCode({ '64': '0002TH0101\0' }),
      'malformed',
    ],
  ])('%s', (_name, text, outcome) => {
    expect(outcomeOf(text)).toBe(outcome);
  });

  const VN_TWICE = VN_BANK.replace(`0127${VN_ACCOUNT}`, `0137${VN_ACCOUNT}0006970403`);

  it.each<[string, string, QrRejectionCode]>([
    ['29', aThaiCode({ '29': `${TH_PROXY}01130066801234567` }), 'duplicate_id'],
    ['30', aThaiCode({ '29': null, '30': `${TH_BILL}0202XX` }), 'duplicate_id'],
    ['38', aVietnameseCode({ '38': `${VN_BANK}0208QRPUSHXX` }), 'duplicate_id'],
    ['38-01', aVietnameseCode({ '38': VN_TWICE }), 'duplicate_id'],
    ['62', aThaiCode({ '62': '0802AB0802CD' }), 'duplicate_id'],
    ['64', aThaiCode({ '64': '0002TH0002TH' }), 'duplicate_id'],
    ['29', aThaiCode({ '29': `${TH_PROXY}x` }), 'malformed'],
    ['29', aThaiCode({ '29': TH_PROXY.slice(0, -1) }), 'malformed'],
    ['62', aThaiCode({ '62': 'free text' }), 'malformed'],
    ['62', aThaiCode({ '62': '0899x' }), 'malformed'],
    ['62', aThaiCode({ '62': '0800' }), 'malformed'],
    ['64', aThaiCode({ '64': 'ร้าน' }), 'malformed'],
  ])('are checked in template %s: %s is %s', (_id, text, rejection) => {
    expect(outcomeOf(text)).toBe(rejection);
  });

  it.each(['02', '26', '28', '31', '51', '65', '80', '99'])(
    'of another scheme under id %s are not opened',
    (id) => {
      expect(outcomeOf(aThaiCode({ [id]: '046' }))).toBe('th_qrpay');
    },
  );

  it.each([
    ['11', { initiation: 'static' }],
    ['12', { initiation: 'dynamic' }],
    [null, { initiation: null }],
    ...['10', '13', '21', '1', '111', 'xx'].map((method) => [method, MALFORMED] as const),
  ] as const)('with the method %s make the code %j', (method, expected) => {
    expect(readQrPayload(aThaiCode({ '01': method }))).toMatchObject(expected);
  });
});

describe('the corridor of a payment code', () => {
  const abroad = { '53': '704', '58': 'VN' };
  const elsewhere = { '29': null, '26': TH_PROXY };
  const longer = { '38': '0011A0000007271' };

  it.each<[string, string, Corridor | QrRejectionCode]>([
    ['Thai by scheme, currency and country', THAI, 'th_qrpay'],
    ['Vietnamese by scheme, currency and country', VIETNAMESE, 'vn_qrpay'],
    ['none in another currency', aThaiCode({ '53': '840' }), 'contradictory'],
    ['none in another country', aThaiCode({ '58': 'LA' }), 'contradictory'],
    ['none in currency and country of the other', aThaiCode(abroad), 'contradictory'],
    ['none in the country of the other', aVietnameseCode({ '58': 'TH' }), 'contradictory'],
    ['none without a currency', aThaiCode({ '53': null }), 'malformed'],
    ['none without a country', aThaiCode({ '58': null }), 'malformed'],
    ['none with a country in lower case', aThaiCode({ '58': 'th' }), 'malformed'],
    ['none with a currency of letters', aThaiCode({ '53': 'THB' }), 'malformed'],
    ['none without a scheme', aThaiCode({ '29': null }), 'unsupported_scheme'],
    ['none with a scheme under another id', aThaiCode(elsewhere), 'unsupported_scheme'],
    ['none with a longer scheme id', aVietnameseCode(longer), 'unsupported_scheme'],
    ['of two schemes that of its currency', aThaiCode({ '38': VN_BANK }), 'th_qrpay'],
    ['of two schemes that of its country', aVietnameseCode({ '29': TH_PROXY }), 'vn_qrpay'],
  ])('is %s', (_name, text, outcome) => {
    expect(outcomeOf(text)).toBe(outcome);
  });

  it('must be the corridor of the payment', () => {
    expect(parseQrPayload(THAI, 'th_qrpay')).toEqual(readQrPayload(THAI));
    expect(parseQrPayload(VIETNAMESE, 'vn_qrpay')).toEqual(readQrPayload(VIETNAMESE));
    expect(parseQrPayload(THAI, 'vn_qrpay')).toMatchObject({ rejection: 'wrong_corridor' });
    expect(parseQrPayload(VIETNAMESE, 'th_qrpay')).toMatchObject({ rejection: 'wrong_corridor' });
    expect(parseQrPayload('', 'th_qrpay')).toMatchObject({ rejection: 'not_a_payment_code' });
  });
});

describe('a rejection', () => {
  it('has a sentence that holds no part of the code', () => {
    const texts = [
      '4111111111111111',
      '000201',
      `${THAI}4111111111111111`,
      aThaiCode({ '54': '0' }),
    ];
    const sentences = texts
      .map(readQrPayload)
      .map((result) => (isQrRejection(result) ? result.sentence : ''));
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z][A-Za-z ,:']+\.$/);
  });
});

describe('the content of a payment code', () => {
  it('is returned with the raw text and with the merchant as the code has it', () => {
    const text = aVietnameseCode({ '54': '180000', '59': 'SHOP', '60': 'HANOI' });
    expect(readQrPayload(text)).toEqual({
      corridor: 'vn_qrpay',
      currency: { code: 'VND', number: '704', exponent: 0 },
      country: 'VN',
      initiation: 'static',
      amountMinorUnits: 180_000,
      merchant: { name: 'SHOP', city: 'HANOI' },
      payee: { kind: 'bank', bankId: '970403', accountType: 'account', accountId: '0011012345678' },
      raw: text,
    });
  });

  it('is returned with its check value as it was written', () => {
    expect(readQrPayload(VN_IN_LOWER_CASE)).toMatchObject({ raw: VN_IN_LOWER_CASE });
  });

  it('may leave out amount, merchant and city', () => {
    expect(readQrPayload(THAI)).toMatchObject({
      amountMinorUnits: null,
      merchant: { name: null, city: null },
    });
  });

  it('names no merchant by spaces alone: the payer would see nothing', () => {
    const text = aVietnameseCode({ '59': '   ', '60': ' HANOI ' });
    expect(readQrPayload(text)).toMatchObject({ merchant: { name: null, city: 'HANOI' } });
  });
});
