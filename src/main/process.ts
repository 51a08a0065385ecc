// The life of a process, the same for api, worker and sandbox: start, serve until a signal, drain,
// exit. Exit codes: 0 stopped by a signal, 1 failed, 2 a setting is missing or wrong.
import { ConfigError } from '../config/config';
import { createLogger } from '../observe/logger';
import type { Log } from '../ports/observe';

/** Draining may take this long; then the process exits with 1, whatever is still open. */
const STOP_TIMEOUT_MS = 18_000;

export interface RunningProcess {
  /**
   * The fields of the log line `ready`: ports, queues. It is logged at every log level, since the
   * parent waits for it.
   */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Rejects when the process can no longer do its work. */
  readonly failed?: Promise<void>;
  /** Accepts no new work, finishes the work under way, closes connections. Called once. */
  stop(): Promise<void>;
}

/** Runs until SIGTERM or SIGINT, then exits the process. Further signals change nothing. */
export function runProcess(name: string, start: () => Promise<RunningProcess>): void {
  const log = createLogger(name, 'info');
  process.on('uncaughtException', (error) => fail(error, log));
  process.on('unhandledRejection', (reason) => fail(reason, log));
  live(start, stopRequested(log), log).then(
    () => process.exit(0),
    (error: unknown) => fail(error, log),
  );
}

async function live(
  start: () => Promise<RunningProcess>,
  stopSignal: Promise<void>,
  log: Log,
): Promise<void> {
  // A signal may arrive during the start, for example while it waits for Temporal: then there is
  // nothing to drain.
  const running = await Promise.race([start(), stopSignal]);
  if (running === undefined) return;
  log.info(running.ready, 'ready');
  await Promise.race([stopSignal, ...(running.failed === undefined ? [] : [running.failed])]);
  await running.stop();
}

/** Runs one task and exits the process when it has finished. */
export function runOnce(name: string, task: () => Promise<void>): void {
  const log = createLogger(name, 'info');
  task().then(
    () => process.exit(0),
    (error: unknown) => fail(error, log),
  );
}

function stopRequested(log: Log): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals) => {
      log.info({ signal }, 'stopping');
      // The time counts from the signal, so that a start that hangs ends too.
      setTimeout(() => fail(new Error('stopping took too long'), log), STOP_TIMEOUT_MS).unref();
      process.removeListener('SIGTERM', onSignal).removeListener('SIGINT', onSignal);
      // Ctrl-C in a terminal is followed by the parent's SIGTERM; that second signal must not cut
      // the draining short.
      process.on('SIGTERM', () => undefined).on('SIGINT', () => undefined);
      resolve();
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  });
}

function fail(error: unknown, log: Log): void {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  log.error({ err: error }, 'failed');
  process.exit(1);
}
