// The life of a process, the same for api, worker and sandbox: start, serve until told to stop, drain, end. Exit codes:
// 0 stopped as told, 1 failed, 2 a setting is missing or wrong.
import { ConfigError } from '../config';
import { createLogger } from '../logger';
import type { Log } from '../ports/log';

/** Draining may take this long; then the process ends with 1, whatever is still open. */
const STOP_TIMEOUT_MS = 18_000;

export interface RunningProcess {
  /** What the line `ready` tells: ports, queues. It is written whatever the log level, since whoever started us waits for it. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Rejects when the process can no longer do its work. */
  readonly failed?: Promise<void>;
  /** Takes no new work, finishes what it has, closes what lies behind. Called once. */
  stop(): Promise<void>;
}

/** Runs until SIGTERM or SIGINT; further signals change nothing. Never returns to its caller: it ends the process. */
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
  // Told to stop while it is still starting, say while it waits for Temporal: there is nothing to drain yet.
  const running = await Promise.race([start(), stopSignal]);
  if (running === undefined) return;
  log.info(running.ready, 'ready');
  await Promise.race([stopSignal, ...(running.failed === undefined ? [] : [running.failed])]);
  await running.stop();
}

/** Runs a task to its end and ends the process with it. */
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
      // Runs from the signal on, so that a start that hangs is ended too.
      setTimeout(() => fail(new Error('stopping took too long'), log), STOP_TIMEOUT_MS).unref();
      process.removeListener('SIGTERM', onSignal).removeListener('SIGINT', onSignal);
      process.on('SIGTERM', ignore).on('SIGINT', ignore);
      resolve();
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  });
}

/** Ctrl-C in a terminal and a parent's SIGTERM come one after the other; the second must not cut the draining short. */
function ignore(): void {
  return;
}

function fail(error: unknown, log: Log): void {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  log.error({ err: error }, 'failed');
  process.exit(1);
}
