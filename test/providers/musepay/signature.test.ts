// The signatures of MusePay: SHA1withRSA over sorted members that are not empty.
import { createPrivateKey, createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { isSigned, signatureOf } from '../../../src/providers/musepay/signature';
import vector from './signature-vector.json';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const MEMBERS = { request_id: 'r-1', nonce: 'n-1', amount: '32.00', Zone: 'a', order_no: '' };

it('are those that OpenSSL makes of the same members', () => {
  const key = createPrivateKey(vector.private_key);
  expect(signatureOf(vector.members, key)).toBe(vector.sign);
  const signed = { ...vector.members, sign: vector.sign };
  expect(isSigned(signed, createPublicKey(vector.public_key))).toBe(true);
});

it.each([
  ['whatever their order', MEMBERS],
  ['without the signature itself', { ...MEMBERS, sign: 'another' }],
  ['without those that are null', { ...MEMBERS, reason: null }],
])('cover the members sorted by name, %s', (_what, members) => {
  const signature = Buffer.from(signatureOf(members, privateKey), 'base64');
  const text = 'Zone=a&amount=32.00&nonce=n-1&request_id=r-1';
  expect(createVerify('RSA-SHA1').update(text).verify(publicKey, signature)).toBe(true);
});

describe('a signature is wrong', () => {
  const sign = signatureOf(MEMBERS, privateKey);

  it.each([
    ['for another value', { ...MEMBERS, amount: '32.01', sign }],
    ['for another name', { ...MEMBERS, amount: '', amounts: '32.00', sign }],
    ['for one member more', { ...MEMBERS, status: '99', sign }],
    ['for one member less', { ...MEMBERS, nonce: null, sign }],
    ['that is cut', { ...MEMBERS, sign: sign.slice(0, -8) }],
    ['that is empty', { ...MEMBERS, sign: '' }],
    ['that is missing', MEMBERS],
    ['that is no base64', { ...MEMBERS, sign: '!!!' }],
  ])('%s', (_what, members) => {
    expect(isSigned(members, publicKey)).toBe(false);
  });

  it('of another key', () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const members = { ...MEMBERS, sign: signatureOf(MEMBERS, other) };
    expect(isSigned(members, publicKey)).toBe(false);
    expect(isSigned({ ...MEMBERS, sign }, publicKey)).toBe(true);
  });
});
