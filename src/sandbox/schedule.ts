// Doing something later, handed in so that tests need no sleep.

/** Cancels what was scheduled; harmless when it has run already. */
export type Cancel = () => void;

/** Runs `task` once, after that many milliseconds. */
export type Schedule = (delayMs: number, task: () => void) => Cancel;

/** By Node's timers; what is scheduled does not keep the process alive. */
export const scheduleByTimer: Schedule = (delayMs, task) => {
  const timer = setTimeout(task, delayMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
  };
};
