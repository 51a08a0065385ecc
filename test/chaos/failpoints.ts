// Named points before and after every effect of a process of ours, at which it dies as by kill -9 (architecture, section 8).
// They stand around its ports and are put there by test/chaos/api.ts and worker.ts alone: nothing under src knows of them.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Around } from '../../src/main/around';

/** A point at which a process dies the next time that it comes by; a file, so that it is there however often it is restarted. */
export interface Trap {
  /** Whether it has struck, asked before it is disarmed. */
  hasStruck(): boolean;
  disarm(): void;
}

/** @param point such as `funds.debit after` */
export function armTrap(directory: string, process: string, point: string): Trap {
  const file = fileOf(directory, process, point);
  mkdirSync(join(directory, FOLDER), { recursive: true });
  writeFileSync(file, '');
  return {
    hasStruck: () => !existsSync(file),
    disarm() {
      rmSync(file, { force: true });
    },
  };
}

/** How a process dies, and from when on: one that dies as soon as it is up does nothing that could go wrong. */
export interface Death {
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
  return (name, port) => withPoints(port, name, pass);
}

/** Every function of the port, with a point before it and one after it, whether it succeeds or not. */
function withPoints<Port extends object>(
  port: Port,
  name: string,
  pass: (point: string) => void,
): Port {
  return new Proxy(port, {
    get(target, member, receiver): unknown {
      const found: unknown = Reflect.get(target, member, receiver);
      if (typeof found !== 'function' || typeof member !== 'string') return found;
      return (...args: readonly unknown[]): unknown => {
        const effect = `${name}.${member}${eventIn(args[0])}`;
        pass(`${effect} before`);
        const result: unknown = Reflect.apply(found, target, args);
        if (result instanceof Promise) return result.finally(() => pass(`${effect} after`));
        pass(`${effect} after`);
        return result;
      };
    },
  });
}

/** A transition is an effect of its own for each event: `intents.transition:capture`. */
function eventIn(command: unknown): string {
  const isCommand = typeof command === 'object' && command !== null && 'event' in command;
  return isCommand && typeof command.event === 'string' ? `:${command.event}` : '';
}

const FOLDER = 'failpoints';

function fileOf(directory: string, process: string, point: string): string {
  return join(directory, FOLDER, `${process} ${point}`.replaceAll(/\W+/g, '-'));
}
