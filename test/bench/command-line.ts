// `npm run bench -- [NAME…] [--json FILE] [--quick] [--seed N] [--profile DIR]`.
import { parseArgs } from 'node:util';

export interface Wishes {
  /** All when none is named. */
  readonly names: readonly string[];
  readonly jsonFile: string | undefined;
  readonly isQuick: boolean;
  readonly seed: number;
  readonly profileDir: string | undefined;
}

/** A command line that cannot be followed; its message says what can be. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** @throws UsageError */
export function readCommandLine(args: readonly string[], known: readonly string[]): Wishes {
  const { values, positionals } = parse(args);
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(
      `There is no bench ${unknown.join(', ')}. There are: ${known.join(', ')}.`,
    );
  }
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new UsageError('--seed takes a whole number.');
  return {
    names: positionals.length === 0 ? known : known.filter((name) => positionals.includes(name)),
    jsonFile: values.json,
    isQuick: values.quick,
    seed,
    profileDir: values.profile,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        quick: { type: 'boolean', default: false },
        seed: { type: 'string', default: '1' },
        profile: { type: 'string' },
      },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
