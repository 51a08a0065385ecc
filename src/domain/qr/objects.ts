// The grammar of a payment code (EMVCo, merchant-presented mode): data objects in a row, each two digits of id, two digits
// of length and that many characters. One level at a time: what is nested is opened by name, never because the input says so.
import { type QrRejectionCode, QrRejected } from './rejection';

export type DataObjects = ReadonlyMap<string, string>;

const HEADER_CHARACTERS = 4;

/**
 * Lengths count characters, which are Unicode code points: EMVCo's own sample has the object `0104` with four Chinese
 * characters. Some generators count bytes; their codes do not parse, rather than parse as something else.
 * @throws QrRejected `malformed` unless the objects fill the text exactly, `duplicate_id` when an id comes twice
 */
export function readDataObjects(text: string): DataObjects {
  const characters = [...text];
  const objects = new Map<string, string>();
  let at = 0;
  while (at < characters.length) {
    const { id, length } = readHeader(characters.slice(at, at + HEADER_CHARACTERS).join(''));
    const value = characters.slice(at + HEADER_CHARACTERS, at + HEADER_CHARACTERS + length);
    if (value.length < length) throw new QrRejected('malformed');
    if (objects.has(id)) throw new QrRejected('duplicate_id');
    objects.set(id, value.join(''));
    at += HEADER_CHARACTERS + length;
  }
  return objects;
}

/** The value of an object that must be there. @throws QrRejected when it is not, or in another form */
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
  // EMVCo: lengths go from 01 to 99. An empty object would be a second way to write one that is absent.
  if (length === 0) throw new QrRejected('malformed');
  return { id: header.slice(0, 2), length };
}
