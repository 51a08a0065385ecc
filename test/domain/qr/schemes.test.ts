// Payee and amount of a code, in the forms of the national schemes only (decisions 20 and 32).
import { readQrPayload } from '../../../src/domain/qr/payload';
import {
  aThaiCode,
  aVietnameseCode,
  objects,
  TH_BILL,
  TH_PROXY,
  VN_ACCOUNT,
  VN_BANK,
} from '../../support/payments/qr-codes';

const proxy = (id: string, value: string) =>
  aThaiCode({ '29': objects(['00', 'A000000677010111'], [id, value]) });
const bill = (billerId: string | null, reference1: string | null, reference2: string | null) => {
  const values = [billerId, reference1, reference2].flatMap((value, index) =>
    value === null ? [] : [[`0${String(index + 1)}`, value] as const],
  );
  return aThaiCode({ '29': null, '30': objects(['00', 'A000000677010112'], ...values) });
};
const account = (bankId: string, accountId: string, service = 'QRIBFTTA') =>
  aVietnameseCode({
    '38': objects(
      ['00', 'A000000727'],
      ['01', objects(['00', bankId], ['01', accountId])],
      ['02', service],
    ),
  });

const UNCLEAR = { rejection: 'payee_unclear' };

describe('the payee of a Thai code', () => {
  it.each([
    ['01', 'mobile', '0066801234567'],
    ['02', 'national_id', '0123456789012'],
    ['03', 'ewallet', '140000801111111'],
    ['04', 'bank_account', '0041234567890'],
    ['04', 'bank_account', `004${'1'.repeat(40)}`],
  ])('under id %s is a %s: %s', (id, proxyType, proxyId) => {
    const payee = { kind: 'proxy', proxyType, proxyId };
    expect(readQrPayload(proxy(id, proxyId))).toMatchObject({ payee });
  });

  const under = (id: string) => (value: string) => [id, value] as const;

  it.each([
    ...['0801234567', '0084801234567', '006680123456', '00668012345678'].map(under('01')),
    ...['012345678901', '012345678901X'].map(under('02')),
    ...['14000080111111', '1400008011111111'].map(under('03')),
    ...['004', '00A1234567890', `004${'1'.repeat(41)}`].map(under('04')),
    ...['1234567890'].map(under('05')),
  ])('under id %s is never %s', (id, value) => {
    expect(readQrPayload(proxy(id, value))).toMatchObject(UNCLEAR);
  });

  it.each([
    ['0994000165501', 'INV1', null],
    ['099400016550100', 'A', 'B'],
    ['099400016550100', 'A'.repeat(20), 'B'.repeat(20)],
  ])('is the biller %s with references %s and %s', (billerId, reference1, reference2) => {
    const payee = { kind: 'biller', billerId, reference1, reference2 };
    expect(readQrPayload(bill(billerId, reference1, reference2))).toMatchObject({ payee });
  });

  it.each([
    [null, 'INV1', null],
    ['099400016550100', null, null],
    ['099400016550100', null, 'B'],
    ['09940001655010', 'INV1', null],
    ['0994000165501000', 'INV1', null],
    ['09940001655010X', 'INV1', null],
    ['099400016550100', 'A'.repeat(21), null],
    ['099400016550100', 'INV1', 'B'.repeat(21)],
  ])('is no biller %s with references %s and %s', (billerId, reference1, reference2) => {
    expect(readQrPayload(bill(billerId, reference1, reference2))).toMatchObject(UNCLEAR);
  });

  it.each([
    ['two proxies', { '29': `${TH_PROXY}02130123456789012` }, 'payee_unclear'],
    ['two templates', { '30': TH_BILL }, 'payee_unclear'],
    ['a template twice', { '27': TH_PROXY }, 'payee_unclear'],
    ['the other template under another id', { '51': TH_BILL }, 'payee_unclear'],
    ['its template under another id alone', { '29': null, '27': TH_PROXY }, 'unsupported_scheme'],
    ['one that a payer shows', { '29': TH_PROXY.replace('10111', '10114') }, 'unsupported_scheme'],
    ['one abroad', { '29': null, '30': TH_BILL.replace('010112', '012006') }, 'unsupported_scheme'],
    [
      'template 31 alone',
      { '29': null, '31': TH_BILL.replace('10112', '10113') },
      'unsupported_scheme',
    ],
  ])('is rejected with %s', (_what, changes, rejection) => {
    expect(readQrPayload(aThaiCode(changes))).toMatchObject({ rejection });
  });
});

describe('the payee of a Vietnamese code', () => {
  it.each([
    ['970403', '0', 'QRIBFTTA', 'account'],
    ['970454', '99MM24011M34875080', 'QRIBFTTA', 'account'],
    ['970403', '9704031101234567', 'QRIBFTTC', 'card'],
    ['970403', 'SHOP-1', 'QRPUSH', 'merchant'],
    ['970403', '1'.repeat(19), 'QRPUSH', 'merchant'],
  ])('at bank %s is %s by %s: %s', (bankId, accountId, service, accountType) => {
    const payee = { kind: 'bank', bankId, accountType, accountId };
    expect(readQrPayload(account(bankId, accountId, service))).toMatchObject({ payee });
  });

  it.each([
    ...['97040', '9704030', '97040X'].map((bank) => [bank, '0011012345678', 'QRIBFTTA']),
    ...['1'.repeat(20), '1 2'].map((id) => ['970403', id, 'QRIBFTTA']),
    ...['QRCASH', 'QRIBFTT', 'qribftta'].map((service) => ['970403', '12345678', service]),
  ])('at bank %s is never %s by %s', (bankId = '', accountId = '', service = '') => {
    expect(readQrPayload(account(bankId, accountId, service))).toMatchObject(UNCLEAR);
  });

  it('is not guessed when another template names one too', () => {
    expect(readQrPayload(aVietnameseCode({ '26': VN_BANK }))).toMatchObject(UNCLEAR);
  });

  it.each([
    ['service', objects(['00', 'A000000727'], ['01', VN_ACCOUNT])],
    ['account', objects(['00', 'A000000727'], ['02', 'QRIBFTTA'])],
    ['bank', objects(['00', 'A000000727'], ['01', '01040123'], ['02', 'QRIBFTTA'])],
    ['account id', objects(['00', 'A000000727'], ['01', '0006970403'], ['02', 'QRIBFTTA'])],
  ])('is not guessed when the %s is missing', (_what, template) => {
    expect(readQrPayload(aVietnameseCode({ '38': template }))).toMatchObject(UNCLEAR);
  });
});

describe('the amount in a code', () => {
  it.each([
    ['98.73', 9_873],
    ['98', 9_800],
    ['98.', 9_800],
    ['98.7', 9_870],
    ['0.01', 1],
    ['000098.73', 9_873],
    ['0.1', 10],
    ['1.10', 110],
    ['4.35', 435],
    ['9999999999999', 999_999_999_999_900],
    ['9999999999.99', 999_999_999_999],
  ])('%s baht is %d satang', (text, amountMinorUnits) => {
    expect(readQrPayload(aThaiCode({ '54': text }))).toMatchObject({ amountMinorUnits });
  });

  it.each([
    ['1', 1],
    ['180000', 180_000],
    ['180000.', 180_000],
    ['9999999999999', 9_999_999_999_999],
  ])('%s dong is %d', (text, amountMinorUnits) => {
    expect(readQrPayload(aVietnameseCode({ '54': text }))).toMatchObject({ amountMinorUnits });
  });

  it.each([
    ...['0', '0.00', '.50', '.', '98,73', '3 705', '-1', '+1', '1e3', '0x10', ' 1', '1 ', '1.2.3'],
    ...['98.730', '98.731', '10.000', '99999999999999', '99999999999.99', 'NaN', 'Infinity'],
  ])('is never "%s" baht', (text) => {
    expect(readQrPayload(aThaiCode({ '54': text }))).toMatchObject({ rejection: 'amount_invalid' });
  });

  it.each(['10.000', '10.0', '10.00', '10.5', '0', '0.'])('is never "%s" dong', (text) => {
    const rejection = 'amount_invalid';
    expect(readQrPayload(aVietnameseCode({ '54': text }))).toMatchObject({ rejection });
  });

  it.each(['55', '56', '57'])('comes without a tip or a fee in object %s', (id) => {
    const text = aThaiCode({ '54': '98.73', [id]: '01' });
    expect(readQrPayload(text)).toMatchObject({ rejection: 'fee_asked' });
  });
});
