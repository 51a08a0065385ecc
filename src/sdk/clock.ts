// The one place where the SDK reads the clock and draws random numbers; every function that needs the time takes a `now` instead.

/** Tells the present instant. */
export type Now = () => Date;

export const systemNow: Now = () => new Date();

/** 32 random bytes as 64 lowercase hexadecimal characters (protocol 3.1). */
export function makeNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
}

/** A random text that nobody else has drawn: for idempotency keys and token ids. */
export function makeUniqueText(): string {
  return crypto.randomUUID();
}
