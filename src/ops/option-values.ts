// Values of options that several commands take, read from their text. Commander tells what is wrong and exits 2.
import { InvalidArgumentError } from 'commander';
import { parseRfc3339 } from '../domain/rfc3339';
import { option } from './verb';

export function parseInstant(text: string): Date {
  const instantMs = parseRfc3339(text);
  if (instantMs !== undefined) return new Date(instantMs);
  throw new InvalidArgumentError('It is an RFC 3339 time, such as 2026-03-02T12:00:00Z.');
}

/** @param max at most 9999 */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
  };
}

/** Of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;

export const LIMIT = option('--limit <count>', `how many at most, up to ${LIMIT_MAX}`)
  .argParser(wholeNumber(1, LIMIT_MAX))
  .default(LIMIT_DEFAULT);
