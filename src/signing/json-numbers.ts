// Strict JSON whose numbers keep their digits. A file of its own: what partners install needs no
// digits, and not the library.
import { parse } from 'lossless-json';
import { readJson, requireUnambiguous } from './strict-json';

/**
 * Each number is its text: a provider's costs have more digits than a JavaScript number (decision
 * 151). @throws UnclearJson
 */
export function parseWithNumbersAsText(bytes: Uint8Array): unknown {
  const { text } = readJson(bytes);
  requireUnambiguous(text, false);
  return parse(text, undefined, (literal) => literal);
}
