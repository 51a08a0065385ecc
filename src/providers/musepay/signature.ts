// MusePay's signatures: base64 of SHA1withRSA over the members that are not empty, sorted by name,
// as `name=value&…`. Its documents call for SHA-1.
import { sign, verify, type KeyObject } from 'node:crypto';

export type Members = Readonly<Record<string, string | null>>;

const ALGORITHM = 'RSA-SHA1';

export function signatureOf(members: Members, privateKey: KeyObject): string {
  return sign(ALGORITHM, bytesToSign(members), privateKey).toString('base64');
}

export function isSigned(members: Members, publicKey: KeyObject): boolean {
  const signature = Buffer.from(members['sign'] ?? '', 'base64');
  return verify(ALGORITHM, bytesToSign(members), publicKey, signature);
}

function bytesToSign(members: Members): Buffer {
  const pairs = Object.entries(members)
    .filter(([name, value]) => name !== 'sign' && value !== null && value !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Buffer.from(pairs.map(([name, value]) => `${name}=${String(value)}`).join('&'));
}
