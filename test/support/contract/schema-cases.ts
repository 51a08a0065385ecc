// Values on both sides of every limit in a schema of the contract. The schema decides which values
// are valid, and the server must agree.
import { schemaOf, type Schema } from './contract-document';

export interface Case {
  readonly name: string;
  readonly value: unknown;
}

/** One character of two UTF-16 units and four bytes. */
const ASTRAL = '😀';

/** Values with a type that no member has, or almost. */
const OTHER_TYPES: readonly unknown[] = [null, true, 0, 1.5, '1', '', [], [1], {}, { a: 1 }];

/** Objects that differ from the valid one in one member: missing, added, or with another value. */
export function objectCases(schema: Schema, good: Readonly<Record<string, unknown>>): Case[] {
  const members = Object.entries(schema.properties ?? {});
  return [
    { name: 'as it is', value: good },
    { name: 'with a member that is not defined', value: { ...good, undefined_member: 1 } },
    { name: 'with no member', value: {} },
    ...members.flatMap(([name, member]) => [
      { name: `without ${name}`, value: without(good, name) },
      { name: `with ${name} in capitals`, value: renamed(good, name) },
      ...valueCases(schemaOf(member), good[name]).map((one) => ({
        name: `with ${name} ${one.name}`,
        value: { ...good, [name]: one.value },
      })),
    ]),
  ];
}

/** Values for one member: around the limits of its type, and of other types. */
export function valueCases(schema: Schema, good: unknown): Case[] {
  return [
    ...numberCases(schema),
    ...textCases(schema, good),
    ...(schema.enum ?? []).flatMap((value) => [
      { name: `being ${String(value)}`, value },
      { name: `being ${String(value)} in capitals`, value: String(value).toUpperCase() },
      { name: `being ${String(value)} and a blank`, value: `${String(value)} ` },
    ]),
    ...OTHER_TYPES.map((value) => ({ name: `being ${JSON.stringify(value)}`, value })),
  ];
}

function numberCases({ minimum, maximum }: Schema): Case[] {
  const edges = [minimum, maximum].filter((edge) => edge !== undefined);
  return edges.flatMap((edge) =>
    [edge - 1, edge, edge + 1, edge + 0.5, -edge].map((value) => ({
      name: `being ${String(value)}`,
      value,
    })),
  );
}

function textCases({ type, minLength, maxLength, pattern }: Schema, good: unknown): Case[] {
  if (type !== 'string') return [];
  const lengths = [minLength, maxLength].flatMap((edge) =>
    edge === undefined ? [] : [edge - 1, edge, edge + 1].filter((length) => length >= 0),
  );
  const text = String(good);
  return [
    ...lengths.flatMap((length) => [
      { name: `of ${String(length)} characters`, value: 'a'.repeat(length) },
      { name: `of ${String(length)} astral characters`, value: ASTRAL.repeat(length) },
    ]),
    ...(pattern === undefined ? [] : ['\0', '\n', ' ', 'é', '~']).flatMap((character) => [
      { name: `with ${JSON.stringify(character)} before it`, value: character + text },
      { name: `with ${JSON.stringify(character)} behind it`, value: text + character },
      {
        name: `with ${JSON.stringify(character)} inside`,
        value: text.slice(0, 1) + character + text,
      },
    ]),
  ];
}

function without(good: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
}

function renamed(good: Readonly<Record<string, unknown>>, name: string): unknown {
  return { ...(without(good, name) as object), [name.toUpperCase()]: good[name] };
}
