// Received bytes as JSON, strictly (decision 24): what two readers could take for two things is refused. JSON.parse says
// what JSON is and what the value is; the library sees each member before JSON.parse lets the last of a name win.
import { visit } from 'jsonc-parser';
import { withoutStack } from './domain/errors';
import { JSON_DEPTH_MAX } from './domain/limits';

/** Its message says no more than the sender of the bytes knows. It carries no stack: it is an answer and not a mistake. */
export class UnclearJson extends Error {
  override name = 'UnclearJson';
}

/** A byte order mark is kept, so that JSON.parse refuses it: RFC 8259, section 8.1, has none. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A name that a message may repeat. */
const SHOWABLE_NAME = /^[\x20-\x7e]{1,64}$/;

/** @throws UnclearJson */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const { text, value } = read(bytes);
  if (!isPlain(text, value)) requireUnambiguous(text);
  return value;
}

function read(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    return withoutStack(() => {
      const text = UTF8.decode(bytes);
      const value: unknown = JSON.parse(text);
      return { text, value };
    });
  } catch (error) {
    throw refuse('The body is not JSON in UTF-8.', error);
  }
}

/**
 * What JSON.stringify writes again byte for byte has no member twice: the first of them would be gone. Most requests and
 * tokens are written so, and reading them a second time costs ten times as much.
 */
function isPlain(text: string, value: unknown): boolean {
  const opened = text.split(/[[{]/, JSON_DEPTH_MAX + 2).length - 1;
  return opened <= JSON_DEPTH_MAX && !text.includes('__proto__') && text === JSON.stringify(value);
}

/** The visitor recurses, and a throw is what ends it: it never gets deeper than the bound. */
function requireUnambiguous(text: string): void {
  const open: Set<string>[] = [];
  const enter = () => {
    if (open.push(new Set()) <= JSON_DEPTH_MAX) return;
    throw refuse(`The body has more than ${String(JSON_DEPTH_MAX)} levels.`);
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
      // No request or token has one, and an object that is copied carelessly would change its prototype by it.
      if (name === '__proto__') throw refuse('The body has a member that is not defined.');
      if (names?.has(name) === true) throw refuse(describeTwice(name));
      names?.add(name);
    },
    onLiteralValue: (value, offset, length) => {
      const isOther =
        typeof value === 'number' && isRoundedToInteger(text.slice(offset, offset + length));
      if (isOther) throw refuse('The body has a number whose fraction would be rounded away.');
    },
    // Two parsers that disagree are two readers.
    onError: () => {
      throw refuse('The body is not JSON in UTF-8.');
    },
  });
}

/**
 * Whether it says something else than the integer that it is read as, such as 0.99999999999999999: a reader with more digits
 * takes another number for the amount. 100.0 and 1e2 say what they are read as. Larger integers are no amounts and no times.
 */
function isRoundedToInteger(literal: string): boolean {
  if (!Number.isSafeInteger(Number(literal))) return false;
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  const pointAt = Math.max(0, whole.length + Number(exponent));
  return /[1-9]/.test((whole + fraction).slice(pointAt));
}

/** Names are compared as they read, so "a" and "\u0061" are one. */
function describeTwice(name: string): string {
  const member = SHOWABLE_NAME.test(name) ? `the member ${name}` : 'a member';
  return `The body has ${member} twice.`;
}

function refuse(detail: string, cause?: unknown): UnclearJson {
  return withoutStack(() => new UnclearJson(detail, { cause }));
}
