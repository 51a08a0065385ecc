// A clock that moves only when a test advances it, with a schedule that follows it.
import type { Clock } from '../../src/ports/clock';
import type { Schedule } from '../../src/sandbox/schedule';

export interface ManualTime {
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Advances the clock and runs the tasks that became due, in order. */
  advance(ms: number): void;
  /** The number of waiting tasks. */
  waiting(): number;
}

export function manualTime(startMs = Date.UTC(2025, 0, 15)): ManualTime {
  let nowMs = startMs;
  const tasks = new Map<symbol, { readonly dueMs: number; readonly task: () => void }>();
  return {
    clock: { now: () => new Date(nowMs) },
    schedule: (delayMs, task) => {
      const id = Symbol('task');
      tasks.set(id, { dueMs: nowMs + delayMs, task });
      return () => {
        tasks.delete(id);
      };
    },
    advance: (ms) => {
      nowMs += ms;
      const due = [...tasks].filter(([, { dueMs }]) => dueMs <= nowMs);
      for (const [id, { task }] of due.sort(([, a], [, b]) => a.dueMs - b.dueMs)) {
        tasks.delete(id);
        task();
      }
    },
    waiting: () => tasks.size,
  };
}
