// `npm run simulate -- [--lives N] [--seed S] [--shard I/N] [--exhaustive 1|2] [--life K] [--script
// JSON]`.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { UsageError } from '../../bench/command-line';
import type { Script } from './choices';

export interface SimulateOptions {
  readonly lives: number;
  readonly seed: number;
  /** This process runs part `index` of `count`, counted from 1. */
  readonly shard: { readonly index: number; readonly count: number };
  /** Run every placement of up to this many faults; undefined: draw lives. */
  readonly exhaustive: 1 | 2 | undefined;
  /** Run only this life of the seed and print its story; undefined: all lives. */
  readonly life: number | undefined;
  /** Run only the life of these choices and print its story. */
  readonly script: Script | undefined;
}

const LIVES_MAX = 1_000_000_000;
const SEED_MAX = 2 ** 32 - 1;
const SHARDS_MAX = 10_000;

/** @throws UsageError */
export function readCommandLine(args: readonly string[]): SimulateOptions {
  const values = parse(args);
  return {
    lives: whole('--lives', values.lives, [1, LIVES_MAX]),
    seed: whole('--seed', values.seed, [0, SEED_MAX]),
    shard: shardOf(values.shard),
    exhaustive: exhaustiveOf(values.exhaustive),
    life: values.life === undefined ? undefined : whole('--life', values.life, [0, LIVES_MAX]),
    script: values.script === undefined ? undefined : scriptOf(values.script),
  };
}

function shardOf(text: string): SimulateOptions['shard'] {
  const [index = '', count = '', ...more] = text.split('/');
  const parts = { index: Number(index), count: Number(count) };
  const isShard =
    more.length === 0 &&
    [index, count].every((part) => /^\d{1,5}$/.test(part)) &&
    parts.index >= 1 &&
    parts.index <= parts.count &&
    parts.count <= SHARDS_MAX;
  if (!isShard)
    throw new UsageError('--shard takes I/N, such as 1/8: this is the I-th of N parts.');
  return parts;
}

const scriptSchema = z.record(z.string(), z.string());

function scriptOf(text: string): Script {
  try {
    return scriptSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new UsageError('--script takes an object of choices, as JSON, as a report prints it.', {
      cause,
    });
  }
}

function exhaustiveOf(text: string | undefined): SimulateOptions['exhaustive'] {
  if (text === undefined) return undefined;
  if (text === '1') return 1;
  if (text === '2') return 2;
  throw new UsageError('--exhaustive takes 1 or 2: how many faults at most.');
}

function whole(name: string, text: string, [from, to]: readonly [number, number]): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw new UsageError(`${name} takes a whole number from ${String(from)} to ${String(to)}.`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        lives: { type: 'string', default: '2000' },
        seed: { type: 'string', default: '1' },
        shard: { type: 'string', default: '1/1' },
        exhaustive: { type: 'string' },
        life: { type: 'string' },
        script: { type: 'string' },
      },
    }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
