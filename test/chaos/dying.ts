// How a process under chaos learns who it is, and how it dies.
import { failpointsOf } from './failpoints';
import type { Around } from '../../src/main/around';

/** Set by the harness beside the settings of the process. */
export const NAME_VARIABLE = 'CHAOS_PROCESS';
export const DIRECTORY_VARIABLE = 'CHAOS_DIRECTORY';

/** Some seconds to start, more on a slow machine, and some in which payments come to an end. */
const SPARED_FOR_SECONDS = 12;

export function dyingAround(): Around {
  const { [NAME_VARIABLE]: name, [DIRECTORY_VARIABLE]: directory } = process.env;
  if (name === undefined || directory === undefined) {
    throw new Error(
      `${NAME_VARIABLE} and ${DIRECTORY_VARIABLE} say who this is: npm run chaos sets them`,
    );
  }
  return failpointsOf(directory, name, {
    isDue: () => process.uptime() > SPARED_FOR_SECONDS,
    die: () => process.kill(process.pid, 'SIGKILL'),
  });
}
