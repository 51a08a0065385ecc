// Named points before and after every effect of a process of ours, at which it dies as by kill -9 (architecture, section 8).
// They stand around its ports and are put there by test/chaos/api.ts and worker.ts alone: nothing under src knows of them.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Around } from '../../../src/main/around';
import { aroundEach } from '../../support/around-each';

/** Set by the harness beside the settings of the process. */
export const NAME_VARIABLE = 'CHAOS_PROCESS';
export const DIRECTORY_VARIABLE = 'CHAOS_DIRECTORY';

/** Some seconds to start, more on a slow machine, and some in which payments come to an end. */
const SPARED_FOR_SECONDS = 12;
const FOLDER = 'failpoints';

/**
 * A point at which a process dies the next time that it comes by; a file, so that it is there however often it is restarted.
 * @param point such as `funds.debit after`
 */
export function armTrap(directory: string, process: string, point: string) {
  const file = fileOf(directory, process, point);
  mkdirSync(join(directory, FOLDER), { recursive: true });
  writeFileSync(file, '');
  return {
    /** Asked before it is disarmed. */
    hasStruck: () => !existsSync(file),
    disarm() {
      rmSync(file, { force: true });
    },
  };
}

/** Around the ports of this process, which the harness has told who it is. */
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

/** How a process dies, and from when on: one that dies as soon as it is up does nothing that could go wrong. */
interface Death {
  readonly isDue: () => boolean;
  readonly die: () => void;
}

/** Around the ports of the process of that name. A trap that is not due yet stays armed. */
export function failpointsOf(directory: string, process: string, { isDue, die }: Death): Around {
  const pass = (point: string) => {
    if (!isDue()) return;
    try {
      // Of two calls at the same point the one that removes the file dies, and it is one death.
      rmSync(fileOf(directory, process, point));
    } catch {
      return;
    }
    die();
  };
  /** A point before each function of the port and one after it, whether it succeeds or not. */
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

/** A transition is an effect of its own for each event: `intents.transition:capture`. */
function eventIn(command: unknown): string {
  const isCommand = typeof command === 'object' && command !== null && 'event' in command;
  return isCommand && typeof command.event === 'string' ? `:${command.event}` : '';
}

function fileOf(directory: string, process: string, point: string): string {
  return join(directory, FOLDER, `${process} ${point}`.replaceAll(/\W+/g, '-'));
}
