// The only place where the SDK reads the clock and makes random ids. Other functions take a `now`.
import { hexOf } from './web-crypto';

/** Returns the current time. */
export type Now = () => Date;

export const systemNow: Now = () => new Date();

/** 32 random bytes as 64 lowercase hexadecimal characters (protocol 3.1). */
export function makeNonce(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(32)));
}

/** A random UUID, for idempotency keys and token ids. */
export function makeUniqueText(): string {
  return crypto.randomUUID();
}
