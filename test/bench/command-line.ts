// `npm run bench -- [NAME…] [--json FILE] [--quick] [--seed N] [--profile DIR] [--server]`.
import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** All benches when the command line names none. */
  readonly names: readonly string[];
  readonly jsonFile: string | undefined;
  readonly isQuick: boolean;
  readonly seed: number;
  readonly profileDir: string | undefined;
  /** Whether Temporal is a real server on Postgres, and not the dev server. */
  readonly isRealServer: boolean;
}

/** The command line is invalid. The message says what is valid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** @throws UsageError */
export function readCommandLine(args: readonly string[], known: readonly string[]): BenchOptions {
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
    isRealServer: values.server,
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
        server: { type: 'boolean', default: false },
      },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
