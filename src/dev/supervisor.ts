// The supervisor: every part its own process, restarted if it dies, written down so that nothing survives a killed start.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lastWordsIn } from './log-file';
import { launch, type Part, type RunningPart } from './part';
import { endProcess, killProcess } from './process-end';
import { isAlive } from './process-identity';
import { inStopOrder, stopSignalOf, writeRecords, type ProcessRecord } from './process-records';
import { StartError } from './start-error';

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
  readonly onLaunch: () => void;
  /** Told after every restart, when the part is ready again. */
  readonly onRestart: (restart: Restart) => void;
}

const ATTEMPTS_BEFORE_READY = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A part that ran this long is started again at once when it dies; sooner, the pause doubles. */
const STEADY_AFTER_MS = 10_000;
/** Then it is ended by force; a process of ours has ended itself before that (src/main/process.ts). */
const STOP_TIMEOUT_MS = 20_000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, RunningPart>();
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
    throw new StartError(this.#failureOf(part, 'ended before it was ready'));
  }

  /** What runs now, in the order of architecture, section 7. */
  running(): readonly ProcessRecord[] {
    return this.#records().filter(isAlive);
  }

  /** In order, each asked first; comes back when all are gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const record of this.#records()) {
      const signal = stopSignalOf(record.name);
      await endProcess(record, { signal, timeoutMs: STOP_TIMEOUT_MS });
    }
    this.#running.clear();
    this.#writeRecords();
  }

  /** At once, without asking. */
  kill(): void {
    this.#stopping.abort();
    this.#records().forEach(killProcess);
  }

  async #launch(part: Part): Promise<RunningPart> {
    const spec = await part.prepare();
    if (this.stopping.aborted) throw new StartError(`The ${part.name} process was not started.`);
    const launched = launch({ name: part.name, spec, directory: this.#options.directory });
    this.#running.set(part.name, launched);
    this.#writeRecords();
    this.#options.onLaunch();
    return launched;
  }

  /** False when the process ended first. @throws StartError when it takes too long */
  async #becomesReady(part: Part, launched: RunningPart): Promise<boolean> {
    const outcome = await launched.ready(part, this.stopping);
    if (outcome === 'late') throw new StartError(this.#failureOf(part, 'was not ready in time'));
    return outcome === 'ready';
  }

  async #keepAlive(part: Part, first: RunningPart): Promise<void> {
    let current = first;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const reason = await current.ended;
      if (this.stopping.aborted) return;
      const diedAtMs = performance.now();
      if (diedAtMs - current.startedAtMs > STEADY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      current = await this.#relaunch(part, current, { reason, diedAtMs });
    }
  }

  /** Answers the new process, ready or not; the old one when none could be launched. */
  async #relaunch(
    part: Part,
    ended: RunningPart,
    { reason, diedAtMs }: { readonly reason: string; readonly diedAtMs: number },
  ): Promise<RunningPart> {
    const launched = await this.#launch(part).catch(() => undefined);
    if (!launched) return ended;
    if (await this.#becomesReady(part, launched).catch(() => false)) {
      this.#options.onRestart({ name: part.name, reason, tookMs: performance.now() - diedAtMs });
    }
    return launched;
  }

  #records(): ProcessRecord[] {
    return inStopOrder([...this.#running.values()].map(({ record }) => record));
  }

  #writeRecords(): void {
    writeRecords(this.#options.directory, this.#records());
  }

  #failureOf(part: Part, what: string): string {
    const log = join(this.#options.directory, 'logs', `${part.name}.log`);
    const words = lastWordsIn(log);
    const said = words === '' ? '' : ` Its last words: ${words}`;
    return `The ${part.name} process ${what}; its log is ${log}.${said}`;
  }
}
