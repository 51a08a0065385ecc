// Which RSA keys verify session tokens (decision 110): the service judges what partners publish, and the SDK what they are about
// to publish.
import {
  RSA_EXPONENT_MAX_BYTES,
  RSA_EXPONENT_MIN,
  RSA_MODULUS_MAX_BITS,
  RSA_MODULUS_MIN_BITS,
} from '../domain/limits';

/**
 * What is wrong with a key of which a JWK says `n` and `e`, or undefined. With an exponent of 1 anybody signs; an even one, or an
 * even modulus, is no RSA; and a giant of either costs milliseconds for each token.
 */
export function faultOfRsa({
  n,
  e,
}: {
  readonly n: string;
  readonly e: string;
}): string | undefined {
  const [modulus, exponent] = [unsigned(n), unsigned(e)];
  const bits = bitsOf(modulus);
  if (bits < RSA_MODULUS_MIN_BITS || bits > RSA_MODULUS_MAX_BITS) {
    return `its modulus has ${String(bits)} bits, not ${String(RSA_MODULUS_MIN_BITS)} to ${String(RSA_MODULUS_MAX_BITS)}`;
  }
  if (!isExponent(exponent)) {
    return `its exponent is not ${String(RSA_EXPONENT_MIN)}, or more within ${String(RSA_EXPONENT_MAX_BYTES * 8)} bits`;
  }
  return isOdd(modulus) && isOdd(exponent) ? undefined : 'its modulus or its exponent is even';
}

function isExponent(exponent: Buffer): boolean {
  if (exponent.length > RSA_EXPONENT_MAX_BYTES) return false;
  return exponent.reduce((value, byte) => value * 256 + byte, 0) >= RSA_EXPONENT_MIN;
}

function isOdd(number: Buffer): boolean {
  return ((number.at(-1) ?? 0) & 1) === 1;
}

/** Without leading zeros. */
function unsigned(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? Buffer.alloc(0) : bytes.subarray(first);
}

function bitsOf(number: Buffer): number {
  return number.length === 0 ? 0 : number.length * 8 - Math.clz32(number[0] ?? 0) + 24;
}
