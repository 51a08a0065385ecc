// Options that several commands take, and how their values are parsed. Commander prints what is
// wrong with a value and exits 2.
import { InvalidArgumentError } from 'commander';
import { parseRfc3339 } from '../domain/rfc3339';
import { option } from './verb';

export function parseInstant(text: string): Date {
  const instantMs = parseRfc3339(text);
  if (instantMs !== undefined) return new Date(instantMs);
  throw new InvalidArgumentError('Expected an RFC 3339 time, such as 2026-03-02T12:00:00Z.');
}

export const SINCE = option(
  '--since <time>',
  'only what was created at or after this time, such as 2026-03-02T12:00:00Z',
).argParser(parseInstant);
export const UNTIL = option('--until <time>', 'only what was created before this time').argParser(
  parseInstant,
);

/** @param max at most 999 999 999 */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** Collects the values of an option that can be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;

export const LIMIT = option('--limit <count>', `the maximum number of rows, up to ${LIMIT_MAX}`)
  .argParser(wholeNumber(1, LIMIT_MAX))
  .default(LIMIT_DEFAULT);
