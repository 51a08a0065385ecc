// Parses received bytes as JSON, strictly (decision 24): a text that two parsers could read
// differently is rejected. JSON.parse decides the value. jsonc-parser sees each member, also those
// that JSON.parse drops when a name comes twice.
import { visit } from 'jsonc-parser';
import { withoutStack } from '../domain/errors';
import { JSON_DEPTH_MAX } from '../domain/limits';

/**
 * Its message says no more than the sender of the bytes knows. It has no stack: it is an expected
 * answer, not a bug.
 */
export class UnclearJson extends Error {
  override name = 'UnclearJson';
}

/** A byte order mark is kept, so that JSON.parse rejects it: RFC 8259, section 8.1, allows none. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A member name that an error message may quote. */
const SHOWABLE_NAME = /^[\x20-\x7e]{1,64}$/;

/** @throws UnclearJson */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const { text, value } = readJson(bytes);
  if (!isPlain(text, value)) requireUnambiguous(text);
  return value;
}

export function readJson(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    return withoutStack(() => {
      const text = UTF8.decode(bytes);
      const value: unknown = JSON.parse(text);
      return { text, value };
    });
  } catch (error) {
    throw unclearJson('The body is not JSON in UTF-8.', error);
  }
}

/**
 * If JSON.stringify writes the same text again, no member came twice: the first one would be
 * missing. Most requests and tokens pass this check, and the second parse, which costs ten times as
 * much, is not needed.
 */
function isPlain(text: string, value: unknown): boolean {
  const opened = text.split(/[[{]/, JSON_DEPTH_MAX + 2).length - 1;
  return opened <= JSON_DEPTH_MAX && !text.includes('__proto__') && text === JSON.stringify(value);
}

/**
 * The visitor recurses; the throw at the bound stops it from going deeper. @throws UnclearJson
 */
export function requireUnambiguous(text: string, areNumbersRounded = true): void {
  const open: Set<string>[] = [];
  const enter = () => {
    if (open.push(new Set()) <= JSON_DEPTH_MAX) return;
    throw unclearJson(`The body has more than ${String(JSON_DEPTH_MAX)} levels.`);
  };
  const leave = () => {
    open.pop();
  };
  visit(text, {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty: (name) => {
      const names = open.at(-1);
      // No request or token has this member, and copying such an object carelessly would change the
      // copy's prototype.
      if (name === '__proto__') {
        throw unclearJson(`The body has the member ${name}, which is not defined.`);
      }
      if (names?.has(name) === true) throw unclearJson(describeTwice(name));
      names?.add(name);
    },
    onLiteralValue: (value, offset, length) => {
      const isRounded = areNumbersRounded && typeof value === 'number';
      const isOther = isRounded && isRoundedToInteger(text.slice(offset, offset + length));
      if (isOther) throw unclearJson('The body has a number whose fraction would be rounded away.');
    },
    // The two parsers disagree about this text.
    onError: () => {
      throw unclearJson('The body is not JSON in UTF-8.');
    },
  });
}

/**
 * Whether JavaScript rounds the number to an integer, such as 0.99999999999999999: a parser with
 * more digits would read another amount. 100.0 and 1e2 are exact. Integers beyond the safe range
 * are neither amounts nor times.
 */
function isRoundedToInteger(literal: string): boolean {
  if (!Number.isSafeInteger(Number(literal))) return false;
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  const pointAt = Math.max(0, whole.length + Number(exponent));
  return /[1-9]/.test((whole + fraction).slice(pointAt));
}

/** Names are compared after decoding, so "a" and "\u0061" are the same member. */
function describeTwice(name: string): string {
  const member = SHOWABLE_NAME.test(name) ? `the member ${name}` : 'a member';
  return `The body has ${member} twice.`;
}

function unclearJson(detail: string, cause?: unknown): UnclearJson {
  return withoutStack(() => new UnclearJson(detail, { cause }));
}
