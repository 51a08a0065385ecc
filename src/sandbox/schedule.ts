// Delayed tasks behind an interface, so that tests need no sleep.

/** Cancels the task; harmless when it has run already. */
export type Cancel = () => void;

/** Runs `task` once, after that many milliseconds. */
export type Schedule = (delayMs: number, task: () => void) => Cancel;

/** Uses Node's timers; a scheduled task does not keep the process alive. */
export const scheduleByTimer: Schedule = (delayMs, task) => {
  const timer = setTimeout(task, delayMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
  };
};
