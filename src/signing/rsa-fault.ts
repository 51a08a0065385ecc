// Checks whether an RSA key may verify session tokens (decision 110). The service checks published
// keys with it, and the SDK checks keys before they are published.
import {
  RSA_EXPONENT_MAX_BYTES,
  RSA_EXPONENT_MIN,
  RSA_MODULUS_MAX_BITS,
  RSA_MODULUS_MIN_BITS,
} from '../domain/limits';

/**
 * Says what is wrong with a key, given `n` and `e` of its JWK; undefined when it is sound. With an
 * exponent of 1 anyone can forge signatures. An even exponent or modulus is not RSA. Very large
 * values cost milliseconds for each token.
 */
export function faultOfRsa(jwk: { readonly n: string; readonly e: string }): string | undefined {
  const [modulus, exponent] = [unsigned(jwk.n), unsigned(jwk.e)];
  const bits = bitsOf(modulus);
  if (bits < RSA_MODULUS_MIN_BITS || bits > RSA_MODULUS_MAX_BITS) {
    const allowed = `${String(RSA_MODULUS_MIN_BITS)} to ${String(RSA_MODULUS_MAX_BITS)}`;
    return `its modulus has ${String(bits)} bits, not ${allowed}`;
  }
  if (!isExponent(exponent)) {
    const maxBits = String(RSA_EXPONENT_MAX_BYTES * 8);
    return `its exponent is not ${String(RSA_EXPONENT_MIN)}, or more within ${maxBits} bits`;
  }
  return isOdd(modulus) && isOdd(exponent) ? undefined : 'its modulus or its exponent is even';
}

function isExponent(exponent: Uint8Array): boolean {
  if (exponent.length > RSA_EXPONENT_MAX_BYTES) return false;
  return exponent.reduce((value, byte) => value * 256 + byte, 0) >= RSA_EXPONENT_MIN;
}

function isOdd(number: Uint8Array): boolean {
  return ((number.at(-1) ?? 0) & 1) === 1;
}

/** Decodes base64url and drops leading zero bytes. Without Node's Buffer, for edge runtimes. */
function unsigned(text: string): Uint8Array {
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  const first = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(first === -1 ? bytes.length : first);
}

function bitsOf(number: Uint8Array): number {
  return number.length === 0 ? 0 : number.length * 8 - Math.clz32(number[0] ?? 0) + 24;
}
