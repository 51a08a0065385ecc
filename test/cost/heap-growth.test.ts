// Requests leave almost nothing in the API's memory, so that a process can answer for months.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RUN_TYPESCRIPT } from '../../src/dev/tools';
import { withDatabase } from '../support/database';

const PROGRAM = join(__dirname, 'heap-program.ts');
/** Enough for thirteen thousand requests on a busy machine. */
const MEASURED_WITHIN_MS = 240_000;
const GROWTH_MAX = 1_000_000;

/**
 * Measures in a separate process, where nothing else allocates and the program can collect garbage.
 */
async function growth(): Promise<number> {
  return withDatabase(async (url) => {
    const args = ['--expose-gc', ...RUN_TYPESCRIPT, PROGRAM, url];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      timeout: MEASURED_WITHIN_MS,
    });
    return (JSON.parse(stdout) as { readonly growth: number }).growth;
  });
}

describe('the heap', () => {
  it(
    'grows by less than 1 MB over 10 000 requests: a hundred bytes each',
    async () => {
      expect(await growth()).toBeLessThan(GROWTH_MAX);
    },
    MEASURED_WITHIN_MS,
  );
});
