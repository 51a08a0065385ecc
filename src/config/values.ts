// The kinds of values that settings may have. A message about a wrong setting names it, shows its
// value and says what the value should be. Each check carries these words, so that the validation
// library's own messages are never shown.
import { z } from 'zod';

import { ConfigError } from '../domain/errors';

export { ConfigError };

export function whole(fallback: number, min: number, max: number) {
  const should = `a whole number from ${min} to ${max}`;
  const number = z.coerce.number(should).int(should).min(min, should).max(max, should);
  return number.default(fallback);
}

export function port(fallback: number) {
  return whole(fallback, 0, 65_535);
}

export function oneOf<const Values extends readonly string[]>(...values: Values) {
  return z.enum(values, `one of ${values.join(', ')}`);
}

export function flag() {
  return z.stringbool('true or false');
}

/** @param should of a share such as 0.1 */
export function share(should: string) {
  return z.coerce.number(should).min(0, should).max(1, should);
}

/** A line break at the end is usual in files of secrets. @param should such as `a file` */
export function text(should: string) {
  return z
    .string(should)
    .regex(/^\S(.*\S)?$/, `${should}, without spaces or line breaks around it`);
}

export function address(should: string, ...protocols: readonly string[]) {
  return z.url({ protocol: new RegExp(`^(${protocols.join('|')})$`), error: should });
}

export function key() {
  const should = '32 bytes in base64, as `openssl rand -base64 32` makes them';
  return z.base64(should).refine((given) => Buffer.from(given, 'base64').length === 32, should);
}

export function matching(pattern: RegExp, should: string) {
  return z.string(should).regex(pattern, should);
}

interface Fault {
  readonly path: readonly PropertyKey[];
  /** What the value should be. */
  readonly message: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value that is empty, or all spaces, counts as not set. */
export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value?.trim() !== ''),
  );
}

/** @throws ConfigError with one sentence for each setting that is missing or wrong */
export function parse<Schema extends z.ZodType>(schema: Schema, known: Environment) {
  const parsed = schema.safeParse(known);
  if (parsed.success) return parsed.data;
  const faults = explainFaults(parsed.error.issues, known);
  throw new ConfigError(`Settings missing or wrong. ${faults}`);
}

function explainFaults(faults: readonly Fault[], environment: Environment): string {
  const byName = new Map(faults.map(({ path, message }) => [path.join('.'), message]));
  return [...byName].map(([name, should]) => explain(name, should, environment[name])).join(' ');
}

function explain(name: string, should: string, given: string | undefined): string {
  if (given === undefined) return `${name} is missing: set it to ${should}.`;
  return `${name} is ${shown(name, given)}, and should be ${should}.`;
}

/** Values of settings with such a name are never shown; a URL may carry a password. */
const MAY_BE_SECRET = /KEY|TOKEN|SECRET|PASSWORD|URL|ENDPOINT|HEADERS/;
export const isSecretName = (name: string): boolean => MAY_BE_SECRET.test(name);
const SHOWN_MAX_CHARACTERS = 60;

function shown(name: string, given: string): string {
  if (isSecretName(name)) return 'something else (not shown here)';
  return JSON.stringify(given.slice(0, SHOWN_MAX_CHARACTERS));
}
