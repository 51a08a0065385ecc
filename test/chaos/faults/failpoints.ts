// Named points before and after every effect of a process, where it can be killed as by kill -9
// (architecture, section 8). Only test/chaos/api.ts and worker.ts wrap the ports with them; nothing
// under src knows of them.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Around } from '../../../src/main/around';
import { aroundEach } from '../../support/around-each';

/** Set by the harness beside the settings of the process. */
export const NAME_VARIABLE = 'CHAOS_PROCESS';
export const DIRECTORY_VARIABLE = 'CHAOS_DIRECTORY';

/** Time for the process to start, also on a slow machine, and to finish some payments. */
const SPARED_FOR_SECONDS = 12;
const FOLDER = 'failpoints';

/**
 * Arms a point: the process dies the next time that it reaches it. The trap is a file, so it
 * survives restarts.
 * @param point such as `funds.debit after`
 */
export function armTrap(directory: string, process: string, point: string) {
  const file = fileOf(directory, process, point);
  mkdirSync(join(directory, FOLDER), { recursive: true });
  writeFileSync(file, '');
  return {
    /** Valid only before `disarm`. */
    hasFired: () => !existsSync(file),
    disarm() {
      rmSync(file, { force: true });
    },
  };
}

/** Wraps the ports of this process, which the harness names by environment variables. */
export function dyingAround(): Around {
  const { [NAME_VARIABLE]: name, [DIRECTORY_VARIABLE]: directory } = process.env;
  if (name === undefined || directory === undefined) {
    throw new Error(
      `${NAME_VARIABLE} and ${DIRECTORY_VARIABLE} are not set: start this program by npm run chaos`,
    );
  }
  return failpointsOf(directory, name, {
    isDue: () => process.uptime() > SPARED_FOR_SECONDS,
    die: () => process.kill(process.pid, 'SIGKILL'),
  });
}

/**
 * How a process dies, and from when on: a process that dies right after its start tests nothing.
 */
interface Death {
  readonly isDue: () => boolean;
  readonly die: () => void;
}

/** Wraps the ports of the named process. A trap that is not due yet stays armed. */
export function failpointsOf(directory: string, process: string, { isDue, die }: Death): Around {
  const pass = (point: string) => {
    if (!isDue()) return;
    try {
      // Two calls may reach the point at once: only the call that removes the file kills the
      // process.
      rmSync(fileOf(directory, process, point));
    } catch {
      return;
    }
    die();
  };
  /**
   * Passes a point before each function of the port, and one after it, whether it succeeds or not.
   */
  return (name, port) =>
    aroundEach(port, ({ member, args, run }) => {
      const effect = `${name}.${member}${eventIn(args[0])}`;
      pass(`${effect} before`);
      const result = run();
      if (result instanceof Promise) return result.finally(() => pass(`${effect} after`));
      pass(`${effect} after`);
      return result;
    });
}

/** Each transition event is a separate effect: `intents.transition:capture`. */
function eventIn(command: unknown): string {
  const isCommand = typeof command === 'object' && command !== null && 'event' in command;
  return isCommand && typeof command.event === 'string' ? `:${command.event}` : '';
}

function fileOf(directory: string, process: string, point: string): string {
  return join(directory, FOLDER, `${process} ${point}`.replaceAll(/\W+/g, '-'));
}
