// The supervisor runs every part as its own process and restarts a part that dies. It records the
// processes, so that the next start can end them after a killed start.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lastWordsIn, openLog, readLogFrom } from './log-file';
import {
  endProcess,
  identify,
  inStopOrder,
  isAlive,
  killProcess,
  OWNER_VARIABLE,
  writeRecords,
  type ProcessRecord,
} from './processes';
import { StartError } from './start-error';
import { until } from '../until';
import type { Environment } from '../../config/values';

export interface LaunchSpec {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** The user that it runs as, when not the current user. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** A launched process and its log since the launch; some parts log when they are ready. */
export interface Launched {
  readonly pid: number;
  log(): Promise<string>;
}

/** One part of the local stack: how it is launched, and when it counts as ready. */
export interface Part {
  readonly name: string;
  /** Called before every launch, restarts included. */
  prepare(): Promise<LaunchSpec>;
  isReady(launched: Launched): boolean | Promise<boolean>;
}

export interface Restart {
  readonly name: string;
  /** The signal or the exit code with which it ended. */
  readonly reason: string;
  readonly tookMs: number;
}

interface SupervisorOptions {
  /** The absolute path of `.local`; it marks the processes as its own. */
  readonly directory: string;
  /** Called after every launch: pids have changed. */
  readonly onLaunch?: () => void;
  /** Called after every restart, when the part is ready again. */
  readonly onRestart?: (restart: Restart) => void;
}

interface Running extends Launched {
  readonly record: ProcessRecord;
  readonly startedAtMs: number;
  readonly hasEnded: () => boolean;
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<string>;
}

const READY_TIMEOUT_MS = 60_000;
const ATTEMPTS_BEFORE_READY = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/**
 * A part that ran this long is restarted after the first pause when it dies; for a shorter run the
 * pause doubles.
 */
const STEADY_AFTER_MS = 10_000;
/**
 * After this a process is killed. Longer than the stop timeout of our own processes
 * (src/main/process.ts).
 */
const STOP_TIMEOUT_MS = 20_000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, Running>();
  readonly #stopping = new AbortController();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Aborted when everything stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Resolves when the part is ready. @throws StartError when it repeatedly ends before that */
  async start(part: Part): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_BEFORE_READY; attempt += 1) {
      const launched = await this.#launch(part);
      if (await this.#becomesReady(part, launched)) {
        void this.#keepAlive(part, launched);
        return;
      }
      await pause(FIRST_PAUSE_MS * attempt);
    }
    throw this.#failureOf(part, 'ended before it was ready');
  }

  /** The running processes, in the order in which they stop. */
  running(): readonly ProcessRecord[] {
    return this.#records().filter(isAlive);
  }

  /** Stops the processes in order. Resolves when all are gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const record of this.#records()) await endProcess(record, STOP_TIMEOUT_MS);
    this.#running.clear();
    this.#writeRecords();
  }

  /** Kills all processes at once. */
  kill(): void {
    this.#stopping.abort();
    this.#records().forEach(killProcess);
  }

  async #launch(part: Part): Promise<Running> {
    const spec = await part.prepare();
    if (this.stopping.aborted) throw new StartError(`The ${part.name} process was not started.`);
    const launched = launch(part.name, spec, this.#options.directory);
    this.#running.set(part.name, launched);
    this.#writeRecords();
    this.#options.onLaunch?.();
    return launched;
  }

  /** False when the process ended first. @throws StartError when it takes too long */
  async #becomesReady(part: Part, launched: Running): Promise<boolean> {
    const hasEnded = () => launched.hasEnded() || this.stopping.aborted;
    const isDecided = async () => hasEnded() || (await part.isReady(launched));
    if (await until(isDecided, { timeoutMs: READY_TIMEOUT_MS })) return !hasEnded();
    throw this.#failureOf(part, 'was not ready in time');
  }

  async #keepAlive(part: Part, first: Running): Promise<void> {
    let current = first;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const reason = await current.ended;
      if (this.stopping.aborted) return;
      const diedAtMs = performance.now();
      if (diedAtMs - current.startedAtMs > STEADY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      // A part that cannot be launched is tried again like one that has ended.
      current = await this.#launch(part).catch(() => current);
      if (await this.#becomesReady(part, current).catch(() => false)) {
        this.#options.onRestart?.({
          name: part.name,
          reason,
          tookMs: performance.now() - diedAtMs,
        });
      }
    }
  }

  #records(): ProcessRecord[] {
    return inStopOrder([...this.#running.values()].map(({ record }) => record));
  }

  #writeRecords(): void {
    writeRecords(this.#options.directory, this.#records());
  }

  #failureOf({ name }: Part, what: string): StartError {
    const log = logOf(this.#options.directory, name);
    const words = lastWordsIn(log);
    const suffix = words === '' ? '' : ` Its last words: ${words}`;
    return new StartError(`The ${name} process ${what}; its log is ${log}.${suffix}`);
  }
}

/**
 * Each process leads its own group, so that Ctrl-C in the terminal reaches only the supervisor,
 * which stops them in order.
 */
function launch(name: string, spec: LaunchSpec, directory: string): Running {
  const path = logOf(directory, name);
  const log = openLog(path);
  const child = spawn(spec.program, spec.args, {
    cwd: spec.cwd,
    env: { ...spec.env, [OWNER_VARIABLE]: directory },
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    ...spec.user,
  });
  closeSync(log.descriptor);
  const ended = once(child, 'exit').then(
    ([code, signal]) => String(signal ?? `exit code ${String(code)}`),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const { pid } = child;
  if (pid === undefined) throw new StartError(`${spec.program} cannot be run.`);
  return {
    pid,
    log: () => readLogFrom(path, log.startsAt),
    // A process that ended at once has no identity any more; its record still needs one that no
    // other process has.
    record: { name, ...(identify(pid) ?? { pid, startedAt: 'ended' }) },
    startedAtMs: performance.now(),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended,
  };
}

function logOf(directory: string, name: string): string {
  return join(directory, 'logs', `${name}.log`);
}
