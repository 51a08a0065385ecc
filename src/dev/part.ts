// One part of the local stack: how it is launched, and when it counts as ready.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { openLog, readLogFrom } from './log-file';
import { OWNER_VARIABLE, identify, type ProcessIdentity } from './process-identity';
import type { ProcessRecord } from './process-records';
import { StartError } from './start-error';
import { until } from './until';

export interface LaunchSpec {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whom it runs as, when not as ourselves. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** What the log of a part says since it was launched, for those that tell there that they are ready. */
export interface Launched {
  readonly pid: number;
  log(): Promise<string>;
}

export interface Part {
  readonly name: string;
  /** Before every launch, restarts included. */
  prepare(): Promise<LaunchSpec>;
  isReady(launched: Launched): boolean | Promise<boolean>;
}

export interface RunningPart {
  readonly record: ProcessRecord;
  readonly startedAtMs: number;
  /** Comes back with the reason when the process has ended. */
  readonly ended: Promise<string>;
  ready(part: Part, stopping: AbortSignal): Promise<'ready' | 'late' | 'ended'>;
}

interface LaunchOptions {
  readonly name: string;
  readonly spec: LaunchSpec;
  readonly directory: string;
}

const READY_WITHIN_MS = 60_000;

/** Own process groups, so that Ctrl-C in the terminal reaches the supervisor alone, which stops them in order. */
export function launch({ name, spec, directory }: LaunchOptions): RunningPart {
  const logPath = join(directory, 'logs', `${name}.log`);
  const log = openLog(logPath);
  const child = spawn(spec.program, spec.args, {
    cwd: spec.cwd,
    env: { ...spec.env, [OWNER_VARIABLE]: directory },
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    ...spec.user,
  });
  closeSync(log.descriptor);
  const ended = endOf(child);
  const identity = identityOf(child, spec.program);
  const launched = { pid: identity.pid, log: () => readLogFrom(logPath, log.startsAt) };
  return {
    record: { name, ...identity },
    startedAtMs: performance.now(),
    ended,
    ready: (part, stopping) => becomesReady({ part, launched, child, stopping }),
  };
}

/** A process that ended at once has no identity any more; it still needs one that no other process has. */
function identityOf(child: ChildProcess, program: string): ProcessIdentity {
  if (child.pid === undefined) throw new StartError(`${program} cannot be run.`);
  return identify(child.pid) ?? { pid: child.pid, startedAt: 'ended' };
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

interface Waiting {
  readonly part: Part;
  readonly launched: Launched;
  readonly child: ChildProcess;
  readonly stopping: AbortSignal;
}

async function becomesReady({ part, launched, child, stopping }: Waiting) {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || stopping.aborted;
  const isOver = async () => hasEnded() || (await part.isReady(launched));
  if (!(await until(isOver, { timeoutMs: READY_WITHIN_MS }))) return 'late';
  return hasEnded() ? 'ended' : 'ready';
}
