// `npm run chaos -- [--seconds N] [--seed S] [--json FILE] [--only PART]… [--rate N] [--keep]
// [--adapters]`.
import { parseArgs } from 'node:util';
import { UsageError } from '../bench/command-line';

export interface ChaosOptions {
  /** Duration of the load. */
  readonly seconds: number;
  readonly seed: number;
  readonly jsonFile: string | undefined;
  /** Parts of fault names. Empty: all faults; `none`: no faults. */
  readonly only: readonly string[];
  /** Payments begun per second. */
  readonly perSecond: number;
  /** Keep logs and data, to investigate a violation. */
  readonly isKept: boolean;
  /** Pay through MusePay and TransFi instead of our own protocol. */
  readonly hasAdapters: boolean;
}

const SECONDS_MAX = 86_400;

/** @throws UsageError */
export function readCommandLine(args: readonly string[]): ChaosOptions {
  const values = parse(args);
  return {
    seconds: whole('--seconds', values.seconds, [1, SECONDS_MAX]),
    seed: whole('--seed', values.seed, [0, 2 ** 32 - 1]),
    jsonFile: values.json,
    only: values.only ?? [],
    perSecond: whole('--rate', values.rate, [1, 100]),
    isKept: values.keep,
    hasAdapters: values.adapters,
  };
}

function whole(name: string, text: string, [from, to]: readonly [number, number]): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw new UsageError(`${name} takes a whole number from ${from} to ${to}.`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '60' },
        seed: { type: 'string', default: '1' },
        json: { type: 'string' },
        only: { type: 'string', multiple: true },
        rate: { type: 'string', default: '4' },
        keep: { type: 'boolean', default: false },
        adapters: { type: 'boolean', default: false },
      },
    }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
