// The supervisor: every part its own process, restarted if it dies, written down so that nothing survives a killed start.
import { spawn, type ChildProcess } from 'node:child_process';
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

export interface LaunchSpec {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whom it runs as, when not as ourselves. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** A launched process, with what its log says since then: some tell there that they are ready. */
export interface Launched {
  readonly pid: number;
  log(): Promise<string>;
}

/** One part of the local stack: how it is launched, and when it counts as ready. */
export interface Part {
  readonly name: string;
  /** Before every launch, restarts included. */
  prepare(): Promise<LaunchSpec>;
  isReady(launched: Launched): boolean | Promise<boolean>;
}

export interface Restart {
  readonly name: string;
  /** The signal or exit code it ended with. */
  readonly reason: string;
  readonly tookMs: number;
}

interface SupervisorOptions {
  /** The absolute path of `.local`; it marks the processes as its own. */
  readonly directory: string;
  /** Told whenever a process was launched: pids have changed. */
  readonly onLaunch?: () => void;
  /** Told after every restart, when the part is ready again. */
  readonly onRestart?: (restart: Restart) => void;
}

interface Running extends Launched {
  readonly record: ProcessRecord;
  readonly startedAtMs: number;
  readonly hasEnded: () => boolean;
  /** Comes back with the reason when the process has ended. */
  readonly ended: Promise<string>;
}

const READY_WITHIN_MS = 60_000;
const ATTEMPTS_BEFORE_READY = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A part that ran this long is started again at once when it dies; sooner, the pause doubles. */
const STEADY_AFTER_MS = 10_000;
/** Then it is ended by force; a process of ours has ended itself before that (src/main/process.ts). */
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

  /** Comes back when the part is ready. @throws StartError when it ends again and again before that */
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

  /** What runs now, in the order in which it stops. */
  running(): readonly ProcessRecord[] {
    return this.#records().filter(isAlive);
  }

  /** In order, each asked first; comes back when all are gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const record of this.#records()) await endProcess(record, STOP_TIMEOUT_MS);
    this.#running.clear();
    this.#writeRecords();
  }

  /** At once, without asking. */
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
    const isOver = async () => hasEnded() || (await part.isReady(launched));
    if (await until(isOver, { timeoutMs: READY_WITHIN_MS })) return !hasEnded();
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
      // One that cannot be launched is tried again as if it had ended again.
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
    const said = words === '' ? '' : ` Its last words: ${words}`;
    return new StartError(`The ${name} process ${what}; its log is ${log}.${said}`);
  }
}

/** Own process groups, so that Ctrl-C in the terminal reaches the supervisor alone, which stops them in order. */
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
  const ended = endOf(child);
  const { pid } = child;
  if (pid === undefined) throw new StartError(`${spec.program} cannot be run.`);
  return {
    pid,
    log: () => readLogFrom(path, log.startsAt),
    // A process that ended at once has no identity any more; it still needs one that no other process has.
    record: { name, ...(identify(pid) ?? { pid, startedAt: 'ended' }) },
    startedAtMs: performance.now(),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended,
  };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(signal ?? `exit code ${String(code)}`);
    });
  });
}

function logOf(directory: string, name: string): string {
  return join(directory, 'logs', `${name}.log`);
}
