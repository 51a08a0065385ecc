// Check value of a payment code (decision 20): CRC-16, polynomial 1021, initial value FFFF, not
// reflected, not inverted, over the UTF-8 bytes.

/** Four hexadecimal digits in upper case, as a code carries them. */
export function crcOf(text: string): string {
  const crc = utf8Bytes(text).reduce(withByte, 0xffff);
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

export function utf8Bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function withByte(crc: number, byte: number): number {
  let next = crc ^ (byte << 8);
  for (let bit = 0; bit < 8; bit += 1) {
    next = (next & 0x8000) === 0 ? next << 1 : (next << 1) ^ 0x1021;
  }
  return next & 0xffff;
}
