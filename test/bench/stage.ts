// Where one bench, or one run of the harness of faults, happens: a folder of its own and the processes started in it. It
// names its owner, so that what a killed run left is ended and removed by the next.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { lastErrorIn } from '../../src/dev/log-file';
import { readJsonFile, writePrivateJson } from '../../src/dev/private-files';
import { ourIdentity } from '../../src/dev/processes';
import { isAlive } from '../../src/dev/processes';
import { endStaleProcesses } from '../../src/dev/processes';
import { Supervisor, type Restart } from '../../src/dev/supervisor';
import { readTools, type Tools } from '../../src/dev/tools';

export interface Stage {
  readonly tools: Tools;
  readonly directory: string;
  readonly supervisor: Supervisor;
  /** What each process logged last as an error, `api.log: …`: the logs go with the stage. */
  lastErrors(): readonly string[];
  /** Comes back when all is gone. */
  stop(): Promise<void>;
  /** At once, for a process that is ending. */
  kill(): void;
}

export interface StageOptions {
  /** Stages of another purpose are left alone. */
  readonly purpose: 'bench' | 'chaos';
  readonly onRestart: (restart: Restart) => void;
  /** Before the folder is removed: what must be let go of first. */
  readonly onRemove: (directory: string) => void;
}

/** A part that dies is started again, but no figure comes of it: its connections are cut, which fails the block. */
const BENCH: StageOptions = { purpose: 'bench', onRestart: nothing, onRemove: nothing };
const ownerSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

/** Nothing runs yet, so that whoever holds this can stop what a failing start leaves half-way. */
export function openStage(options = BENCH): Stage {
  const { purpose, onRestart } = options;
  const tools = readTools();
  const parent = parentFolder(tools, purpose);
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, prefixOf(purpose)));
  // The system user postgres must be able to pass through.
  chmodSync(directory, 0o711);
  writePrivateJson(join(directory, 'owner.json'), ourIdentity());
  const supervisor = new Supervisor({ directory, onLaunch: nothing, onRestart });
  return {
    tools,
    directory,
    supervisor,
    lastErrors: () => lastErrorsIn(join(directory, 'logs')),
    async stop() {
      await supervisor.stop();
      remove(directory, options);
    },
    kill() {
      supervisor.kill();
      remove(directory, options);
    },
  };
}

/** Folders of runs that were killed: their processes are ended first. */
export async function removeAbandonedStages(options = BENCH): Promise<void> {
  const parent = parentFolder(readTools(), options.purpose);
  const prefix = prefixOf(options.purpose);
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const directory = join(parent, name);
    const owner = ownerSchema.safeParse(readJsonFile(join(directory, 'owner.json')));
    if (!owner.success || isAlive(owner.data)) continue;
    await endStaleProcesses(directory);
    remove(directory, options);
  }
}

/** As root Postgres runs as another user, which may enter the cache folder and perhaps not the one for temporary files. */
function parentFolder({ postgres, cacheDir }: Tools, purpose: string): string {
  return postgres.user ? join(cacheDir, purpose) : tmpdir();
}

function lastErrorsIn(logs: string): readonly string[] {
  const names = existsSync(logs) ? readdirSync(logs) : [];
  return names
    .map((name) => ({ name, said: lastErrorIn(join(logs, name)) }))
    .filter(({ said }) => said !== '')
    .map(({ name, said }) => `${name}: ${said}`);
}

function prefixOf(purpose: string): string {
  return `payment-intents-${purpose}-`;
}

function remove(directory: string, { onRemove }: StageOptions): void {
  onRemove(directory);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

function nothing(): void {
  return;
}
