// What requests leave behind in the API's memory: next to nothing, so that a process which answers for months stays as it was.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withDatabase } from '../support/database';

const PROGRAM = join(__dirname, 'heap-program.ts');
/** Thirteen thousand requests on a machine that does other things besides. */
const PATIENCE_MS = 240_000;
const GROWTH_MAX = 1_000_000;

/** In a process of its own, where nothing else allocates and garbage is collected when asked for. */
async function growth(): Promise<number> {
  return withDatabase(async (url) => {
    const args = ['--expose-gc', '--require', 'tsx/cjs', PROGRAM, url];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: PATIENCE_MS });
    return (JSON.parse(stdout) as { readonly growth: number }).growth;
  });
}

describe('the heap', () => {
  it(
    'grows by less than 1 MB over 10 000 requests: a hundred bytes each',
    async () => {
      expect(await growth()).toBeLessThan(GROWTH_MAX);
    },
    PATIENCE_MS,
  );
});
