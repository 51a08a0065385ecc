// Grammar of a payment code (EMVCo, merchant-presented mode): a sequence of data objects, each with
// a two-digit id, a two-digit length and a value. Nested objects are read only where the caller
// asks.
import { type QrRejectionCode, QrRejected } from './rejection';

export type DataObjects = ReadonlyMap<string, string>;
type DataObject = readonly [id: string, value: string];

const HEADER_CHARACTERS = 4;

/**
 * Lengths count Unicode code points: EMVCo's sample has the object `0104` with four Chinese
 * characters. Codes of generators that count bytes are rejected, not misread.
 * @throws QrRejected `malformed` unless the objects fill the text exactly, `duplicate_id` if an id
 * is repeated
 */
export function readDataObjects(text: string): DataObjects {
  const objects = new Map<string, string>();
  for (const [id, value] of objectsIn([...text])) {
    if (objects.has(id)) throw new QrRejected('duplicate_id');
    objects.set(id, value);
  }
  return objects;
}

/**
 * The objects that readers find whose lengths count UTF-16 units or bytes, up to where the text is
 * malformed for them. A byte is one character of their values.
 */
export function readByOtherCounts(text: string): readonly DataObject[] {
  const bytes = Array.from(utf8Bytes(text), (byte) => String.fromCharCode(byte));
  return [text.split(''), bytes].flatMap((characters) => {
    const found: DataObject[] = [];
    try {
      for (const object of objectsIn(characters)) found.push(object);
    } catch (error) {
      if (!(error instanceof QrRejected)) throw error;
    }
    return found;
  });
}

function* objectsIn(characters: readonly string[]): Generator<DataObject> {
  let at = 0;
  while (at < characters.length) {
    const { id, length } = readHeader(characters.slice(at, at + HEADER_CHARACTERS).join(''));
    const value = characters.slice(at + HEADER_CHARACTERS, at + HEADER_CHARACTERS + length);
    if (value.length < length) throw new QrRejected('malformed');
    yield [id, value.join('')];
    at += HEADER_CHARACTERS + length;
  }
}

/** The value of a required object. @throws QrRejected if it is missing or has another form */
export function requiredValue(
  objects: DataObjects,
  id: string,
  form: RegExp,
  rejection: QrRejectionCode = 'malformed',
): string {
  const value = objects.get(id);
  if (value === undefined || !form.test(value)) throw new QrRejected(rejection);
  return value;
}

function readHeader(header: string): { readonly id: string; readonly length: number } {
  if (!/^\d{4}$/.test(header)) throw new QrRejected('malformed');
  const length = Number(header.slice(2));
  // EMVCo: lengths are 01 to 99. An empty object would be a second way to leave one out.
  if (length === 0) throw new QrRejected('malformed');
  return { id: header.slice(0, 2), length };
}

/**
 * The check value of a payment code (decision 20): CRC-16, polynomial 1021, initial value FFFF, not
 * reflected, not inverted, over the UTF-8 bytes; four hexadecimal digits, here in upper case.
 */
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
