// The check value of a payment code (decision 20): CRC-16 with polynomial 1021 and initial value FFFF, nothing reflected
// or inverted, over the UTF-8 bytes. In plain ECMAScript, for the workflow isolate and the browser have no Buffer.

/** Four hexadecimal digits in upper case, as a code carries them. */
export function crcOf(text: string): string {
  const crc = utf8Bytes(text).reduce(withByte, 0xffff);
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** A lone surrogate counts as the three bytes of its own number: no text makes this throw. */
export function utf8Bytes(text: string): readonly number[] {
  return [...text].flatMap((character) => bytesOf(character.codePointAt(0) ?? 0));
}

function withByte(crc: number, byte: number): number {
  let next = crc ^ (byte << 8);
  for (let bit = 0; bit < 8; bit += 1) {
    next = (next & 0x8000) === 0 ? next << 1 : (next << 1) ^ 0x1021;
  }
  return next & 0xffff;
}

function bytesOf(point: number): readonly number[] {
  if (point < 0x80) return [point];
  if (point < 0x800) return [0xc0 | (point >> 6), trailing(point)];
  if (point < 0x10000) return [0xe0 | (point >> 12), trailing(point >> 6), trailing(point)];
  return [0xf0 | (point >> 18), trailing(point >> 12), trailing(point >> 6), trailing(point)];
}

function trailing(bits: number): number {
  return 0x80 | (bits & 0x3f);
}
