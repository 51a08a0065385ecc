// Decision 20: our parser against the npm packages that read the same codes, in tests only, and where it is stricter; and
// properties that hold for every code.
import fc from 'fast-check';
import { generate, parse, validate } from 'promptparse';
import { QRPay, VietQRService } from 'vietnam-qr-pay';
import { CORRIDORS } from '../../src/domain/corridor';
import { crcOf } from '../../src/domain/qr-crc';
import { readDataObjects } from '../../src/domain/qr-objects';
import { parseQrPayload, type QrPayload, readQrPayload } from '../../src/domain/qr-payload';
import { isQrRefusal } from '../../src/domain/qr-refusal';
import { aThaiCode, aVietnameseCode, objects, sealed, TH_PROXY } from '../support/qr-codes';

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${String(length)}}$`));
const aReference = fc.stringMatching(/^[A-Z0-9]{1,20}$/);
const aName = fc.stringMatching(/^[ -~]{1,25}$/);
const anAmount = fc.integer({ min: 1, max: 999_999_999 });
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });

function accepted(text: string): QrPayload {
  const result = readQrPayload(text);
  if (isQrRefusal(result)) throw new Error(`${result.refusal}: ${text}`);
  return result;
}

/** Satang to the number that promptparse takes and gives; it prints two decimals. */
const baht = (satang: number | null | undefined) =>
  satang === undefined || satang === null ? undefined : satang / 100;

describe('promptparse', () => {
  it('makes transfers that read as they were meant, and reads the same', () => {
    const targets = fc.oneof(
      fc.record({ type: fc.constant('MSISDN' as const), target: digits(9).map((n) => `0${n}`) }),
      fc.record({ type: fc.constant('NATID' as const), target: digits(13) }),
      fc.record({ type: fc.constant('EWALLETID' as const), target: digits(15) }),
    );
    fc.assert(
      fc.property(targets, optional(anAmount), ({ type, target }, satang) => {
        const amount = baht(satang);
        const text = generate.anyId({ type, target, ...(amount === undefined ? {} : { amount }) });
        const { payee, amountMinorUnits, initiation } = accepted(text);
        const proxyId = type === 'MSISDN' ? target.replace(/^0/, '0066') : target;
        expect(payee).toMatchObject({ kind: 'proxy', proxyId });
        expect(amountMinorUnits ?? undefined).toBe(satang);
        expect(initiation).toBe(satang === undefined ? 'static' : 'dynamic');
        expect(validate.anyId(text)).toEqual({
          type,
          target,
          ...(amount === undefined ? {} : { amount }),
        });
      }),
    );
  });

  it('makes bills that read as they were meant, and reads the same', () => {
    const aBill = fc.record({
      billerId: fc.oneof(digits(13), digits(15)),
      ref1: aReference,
      ref2: optional(aReference),
      satang: optional(anAmount),
    });
    fc.assert(
      fc.property(aBill, ({ billerId, ref1, ref2, satang }) => {
        const amount = baht(satang);
        const text = generate.billPayment({
          billerId,
          ref1,
          ...(ref2 === undefined ? {} : { ref2 }),
          ...(amount === undefined ? {} : { amount }),
        });
        const { payee, amountMinorUnits } = accepted(text);
        const reference2 = ref2 ?? null;
        expect(payee).toEqual({ kind: 'biller', billerId, reference1: ref1, reference2 });
        expect(validate.billPayment(text)).toMatchObject({ billerId, ref1 });
        expect(validate.billPayment(text)?.amount).toBe(baht(amountMinorUnits));
      }),
    );
  });

  it('takes apart every code that we accept into the same objects', () => {
    fc.assert(
      fc.property(aCode(), (text) => {
        const tags = parse(text, true)?.getTags() ?? [];
        const theirs = tags.map(({ id, value }) => [id, value]);
        expect(theirs).toEqual([...readDataObjects(text)]);
      }),
    );
  });

  it.each([
    ['an object twice', sealed(`000201${objects(['29', TH_PROXY], ['53', '764'])}5802TH5802LA`)],
    ['the currency of another country', aThaiCode({ '53': '704' })],
    ['an amount of zero', aThaiCode({ '54': '0' })],
    ['an amount of three decimals', aThaiCode({ '54': '1.005' })],
    ['two payees', aThaiCode({ '29': `${TH_PROXY}02130123456789012` })],
    ['a check value in lower case', aThaiCode().replace(/....$/, (crc) => crc.toLowerCase())],
  ])('reads what we refuse: %s', (_what, text) => {
    expect(validate.anyId(text)).toMatchObject({ target: '0801234567' });
    expect(readQrPayload(text)).toHaveProperty('refusal');
  });

  it('refuses what we read: a check value over UTF-8 bytes, as in EMVCo’s sample', () => {
    const text = aThaiCode({ '64': objects(['00', 'TH'], ['01', 'ร้าน']) });
    expect(parse(text, true)).toBeNull();
    expect(accepted(text).corridor).toBe('th_qrpay');
  });
});

describe('vietnam-qr-pay', () => {
  const anAccount = fc.record({
    bankBin: digits(6),
    bankNumber: fc.stringMatching(/^[0-9A-Z]{1,19}$/),
    service: fc.constantFrom(VietQRService.BY_ACCOUNT_NUMBER, VietQRService.BY_CARD_NUMBER),
    dong: optional(anAmount),
    purpose: optional(fc.stringMatching(/^[A-Za-z0-9 ]{1,25}$/)),
  });

  it('makes codes that read as they were meant, and reads the same', () => {
    fc.assert(
      fc.property(anAccount, ({ bankBin, bankNumber, service, dong, purpose }) => {
        const made = QRPay.initVietQR({
          bankBin,
          bankNumber,
          service,
          ...(dong === undefined ? {} : { amount: String(dong) }),
          ...(purpose === undefined ? {} : { purpose }),
        });
        const text = made.build();
        const { payee, amountMinorUnits, initiation } = accepted(text);
        const accountType = service === VietQRService.BY_CARD_NUMBER ? 'card' : 'account';
        expect(payee).toEqual({
          kind: 'bank',
          bankId: bankBin,
          accountType,
          accountId: bankNumber,
        });
        expect(amountMinorUnits ?? undefined).toBe(dong);
        expect(initiation).toBe(dong === undefined ? 'static' : 'dynamic');
        const theirs = new QRPay(text);
        expect(theirs).toMatchObject({ isValid: true, consumer: { bankBin, bankNumber } });
        expect(theirs.amount).toBe(dong?.toString());
      }),
    );
  });

  it('pays another account where a length is misprinted, which we refuse', () => {
    const template = '0010A00000072701270006970403011200110123456780208QRIBFTTA';
    const text = aVietnameseCode({ '38': template });
    expect(new QRPay(text)).toMatchObject({
      isValid: true,
      consumer: { bankNumber: '001101234567' },
    });
    expect(readQrPayload(text)).toMatchObject({ refusal: 'malformed' });
  });

  it.each([
    ['an object twice', sealed(aVietnameseCode({ '54': '1' }).replace(/6304....$/, '54019'))],
    ['the currency of another country', aVietnameseCode({ '53': '764' })],
    ['decimals of dong', aVietnameseCode({ '54': '10.000' })],
    ['cash from a machine', aVietnameseCode().replace('QRIBFTTA', 'QRCASH__')],
  ])('reads what we refuse: %s', (_what, text) => {
    const resealed = sealed(text.replace(/6304....$/, ''));
    expect(new QRPay(resealed)).toMatchObject({ isValid: true });
    expect(readQrPayload(resealed)).toHaveProperty('refusal');
  });

  it('computes the same check value for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(crcOf(text)).toBe(QRPay.genCRCCode(text));
      }),
    );
  });
});

describe('every text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.array(fc.nat(0xffff), { maxLength: 300 }).map((units) => String.fromCharCode(...units)),
    fc.string({ unit: 'binary', maxLength: 300 }).map((tail) => sealed(`000201${tail}`)),
    fc.stringMatching(/^[0-9]{0,300}$/).map((tail) => sealed(`000201${tail}`)),
    fc
      .array(fc.tuple(digits(2), aName), { maxLength: 6 })
      .map((list) => sealed(`000201${objects(...list)}`)),
  );

  it('is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...CORRIDORS), (text, corridor) => {
        const result = parseQrPayload(text, corridor);
        expect(isQrRefusal(result) || result.corridor === corridor).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('every code', () => {
  it('is refused once any one of its characters is another', () => {
    const aCharacter = fc.stringMatching(/^[ -~]$/);
    fc.assert(
      fc.property(aCode(), fc.nat(), aCharacter, (text, seed, other) => {
        const at = seed % text.length;
        fc.pre(text.charAt(at) !== other);
        const altered = text.slice(0, at) + other + text.slice(at + 1);
        expect(readQrPayload(altered)).toHaveProperty('refusal');
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused when two of its characters have changed places', () => {
    fc.assert(
      fc.property(aCode(), fc.nat(), (text, seed) => {
        const at = seed % (text.length - 1);
        fc.pre(text.charAt(at) !== text.charAt(at + 1));
        const altered =
          text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
        expect(readQrPayload(altered)).toHaveProperty('refusal');
      }),
    );
  });

  it('is refused when it is cut', () => {
    fc.assert(
      fc.property(aCode(), fc.nat(), (text, seed) => {
        expect(readQrPayload(text.slice(0, seed % text.length))).toHaveProperty('refusal');
      }),
    );
  });
});

function aCode(): fc.Arbitrary<string> {
  const changes = fc.record({
    '01': fc.constantFrom('11', '12', null),
    '54': fc.option(anAmount.map(String)),
    '59': fc.option(aName),
    '60': fc.option(aName),
    '62': fc.option(aName.map((name) => objects(['08', name]))),
    '81': fc.option(aName),
  });
  return fc.oneof(changes.map(aThaiCode), changes.map(aVietnameseCode));
}
