// Our QR parser against npm packages that read the same codes, in tests only, and properties of
// every code (decision 20).
import fc from 'fast-check';
import { generate, parse, validate } from 'promptparse';
import { QRPay, VietQRService } from 'vietnam-qr-pay';
import { CORRIDORS } from '../../../src/corridors/names';
import { crcOf } from '../../../src/domain/qr/objects';
import { readDataObjects } from '../../../src/domain/qr/objects';
import { parseQrPayload, type QrPayload, readQrPayload } from '../../../src/domain/qr/payload';
import { isQrRejection } from '../../../src/domain/qr/rejection';
import { aThaiCode, aVietnameseCode, objects, sealed } from '../../support/payments/qr-codes';

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${String(length)}}$`));
const aReference = fc.stringMatching(/^[A-Z0-9]{1,20}$/);
const aName = fc.stringMatching(/^[ -~]{1,25}$/);
const anAmount = fc.integer({ min: 1, max: 999_999_999 });
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });

function accepted(text: string): QrPayload {
  const result = readQrPayload(text);
  if (isQrRejection(result)) throw new Error(`${result.rejection}: ${text}`);
  return result;
}

/** Satang as the number of baht that promptparse uses; it prints two decimals. */
const baht = (satang: number | null | undefined) =>
  satang === undefined || satang === null ? undefined : satang / 100;

describe('promptparse', () => {
  it('makes transfer codes that both parsers read alike', () => {
    const targets = fc.oneof(
      fc.record({ type: fc.constant('MSISDN' as const), target: digits(9).map((n) => `0${n}`) }),
      fc.record({ type: fc.constant('NATID' as const), target: digits(13) }),
      fc.record({ type: fc.constant('EWALLETID' as const), target: digits(15) }),
    );
    fc.assert(
      fc.property(targets, optional(anAmount), ({ type, target }, satang) => {
        const amount = baht(satang);
        const transfer = { type, target, ...(amount !== undefined && { amount }) };
        const text = generate.anyId(transfer);
        const { payee, amountMinorUnits, initiation } = accepted(text);
        const proxyId = type === 'MSISDN' ? target.replace(/^0/, '0066') : target;
        expect(payee).toMatchObject({ kind: 'proxy', proxyId });
        expect(amountMinorUnits ?? undefined).toBe(satang);
        expect(initiation).toBe(satang === undefined ? 'static' : 'dynamic');
        expect(validate.anyId(text)).toEqual(transfer);
      }),
    );
  });

  it('makes bill codes that both parsers read alike', () => {
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
          ...(ref2 !== undefined && { ref2 }),
          ...(amount !== undefined && { amount }),
        });
        const { payee, amountMinorUnits } = accepted(text);
        const reference2 = ref2 ?? null;
        expect(payee).toEqual({ kind: 'biller', billerId, reference1: ref1, reference2 });
        expect(validate.billPayment(text)).toMatchObject({ billerId, ref1 });
        expect(validate.billPayment(text)?.amount).toBe(baht(amountMinorUnits));
      }),
    );
  });

  it('parses every code that we accept into the same objects', () => {
    fc.assert(
      fc.property(aCode(), (text) => {
        const tags = parse(text, true)?.getTags() ?? [];
        const theirs = tags.map(({ id, value }) => [id, value]);
        expect(theirs).toEqual([...readDataObjects(text)]);
      }),
    );
  });

  it('finds no other payee in a code that we accept, whether it counts UTF-16 units or bytes', () => {
    const payee = objects(['00', 'A000000677010111'], ['04', '00412345678901']);
    const hidden = `29${String(payee.length)}${payee}`;
    const aName = fc
      .tuple(fc.constantFrom('A', 'ร', '𠮷'), fc.nat(42), fc.constantFrom('', hidden))
      .map(([character, count, tail]) => `B${character.repeat(count)}${tail}`);
    const othersIn = (text: string, ours: string | undefined) =>
      (parse(text)?.getTags() ?? []).filter(({ id, value }) => id === '29' && value !== ours);
    fc.assert(
      fc.property(aName, fc.boolean(), (name, isFirst) => {
        const language = counted('64', `0002TH${counted('01', name)}`);
        const [start, rest] = ['000201', aThaiCode().slice('000201'.length, -'6304AAAA'.length)];
        const text = sealed(start + (isFirst ? language + rest : rest + language));
        fc.pre(!isQrRejection(readQrPayload(text)));
        const ours = readDataObjects(text).get('29');
        expect(othersIn(text, ours)).toEqual([]);
        expect(othersIn(Buffer.from(text).toString('latin1'), ours)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** An object whose length counts code points, as EMVCo does and promptparse does not. */
function counted(id: string, value: string): string {
  return id + String([...value].length).padStart(2, '0') + value;
}

describe('vietnam-qr-pay', () => {
  const anAccount = fc.record({
    bankBin: digits(6),
    bankNumber: fc.stringMatching(/^[0-9A-Z]{1,19}$/),
    service: fc.constantFrom(VietQRService.BY_ACCOUNT_NUMBER, VietQRService.BY_CARD_NUMBER),
    dong: optional(anAmount),
    purpose: optional(fc.stringMatching(/^[A-Za-z0-9 ]{1,25}$/)),
  });

  it('makes codes that both parsers read alike', () => {
    fc.assert(
      fc.property(anAccount, ({ bankBin, bankNumber, service, dong, purpose }) => {
        const made = QRPay.initVietQR({
          ...{ bankBin, bankNumber, service },
          ...(dong !== undefined && { amount: String(dong) }),
          ...(purpose !== undefined && { purpose }),
        });
        const text = made.build();
        const { payee, amountMinorUnits, initiation } = accepted(text);
        const accountType = service === VietQRService.BY_CARD_NUMBER ? 'card' : 'account';
        const account = { bankId: bankBin, accountType, accountId: bankNumber };
        expect(payee).toEqual({ kind: 'bank', ...account });
        expect(amountMinorUnits ?? undefined).toBe(dong);
        expect(initiation).toBe(dong === undefined ? 'static' : 'dynamic');
        const theirs = new QRPay(text);
        expect(theirs).toMatchObject({ isValid: true, consumer: { bankBin, bankNumber } });
        expect(theirs.amount).toBe(dong?.toString());
      }),
    );
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

  it('is accepted or rejected, and never makes the parser throw', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...CORRIDORS), (text, corridor) => {
        const result = parseQrPayload(text, corridor);
        expect(isQrRejection(result) || result.corridor === corridor).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('every code', () => {
  const aCharacter = fc.stringMatching(/^[ -~]$/);
  /** The check value may be written in either case. */
  const inOneCase = (text: string) => text.slice(0, -4) + text.slice(-4).toUpperCase();
  const CHANGES: Readonly<Record<string, (text: string, at: number, other: string) => string>> = {
    'if one of its characters is replaced': (text, at, other) =>
      text.slice(0, at) + other + text.slice(at + 1),
    'if two adjacent characters are swapped': (text, at) =>
      text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
    'if it is cut': (text, at) => text.slice(0, at),
  };

  it.each(Object.entries(CHANGES))('is rejected %s', (_when, change) => {
    fc.assert(
      fc.property(aCode(), fc.nat(), aCharacter, (text, seed, other) => {
        const altered = change(text, seed % text.length, other);
        fc.pre(inOneCase(altered) !== inOneCase(text));
        expect(readQrPayload(altered)).toHaveProperty('rejection');
      }),
      { numRuns: 1_000 },
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
