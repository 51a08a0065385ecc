// Where one bench runs: a folder of its own and the processes started in it. It names its owner, so that what a killed run
// left is ended and removed by the next.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from '../../src/dev/private-files';
import { ourIdentity } from '../../src/dev/process-end';
import { isAlive } from '../../src/dev/process-identity';
import { endStaleProcesses } from '../../src/dev/process-records';
import { Supervisor } from '../../src/dev/processes';
import { readTools, type Tools } from '../../src/dev/tools';

export interface Stage {
  readonly tools: Tools;
  readonly directory: string;
  readonly supervisor: Supervisor;
  /** Comes back when all is gone. */
  stop(): Promise<void>;
  /** At once, for a process that is ending. */
  kill(): void;
}

const PREFIX = 'payment-intents-bench-';
const ownerSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

/** Nothing runs yet, so that whoever holds this can stop what a failing start leaves half-way. */
export function openStage(): Stage {
  const tools = readTools();
  const parent = parentFolder(tools);
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, PREFIX));
  // The system user postgres must be able to pass through.
  chmodSync(directory, 0o711);
  writePrivateJson(join(directory, 'owner.json'), ourIdentity());
  // A part that dies is started again, but no figure comes of it: its connections are cut, which fails the block.
  const supervisor = new Supervisor({ directory, onLaunch: nothing, onRestart: nothing });
  return {
    tools,
    directory,
    supervisor,
    async stop() {
      await supervisor.stop();
      remove(directory);
    },
    kill() {
      supervisor.kill();
      remove(directory);
    },
  };
}

/** Folders of runs that were killed: their processes are ended first. */
export async function removeAbandonedStages(): Promise<void> {
  const parent = parentFolder(readTools());
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    const directory = join(parent, name);
    const owner = ownerSchema.safeParse(readJsonFile(join(directory, 'owner.json')));
    if (!owner.success || isAlive(owner.data)) continue;
    await endStaleProcesses(directory);
    remove(directory);
  }
}

/** As root Postgres runs as another user, which may enter the cache folder and perhaps not the one for temporary files. */
function parentFolder({ postgres, cacheDir }: Tools): string {
  return postgres.user ? join(cacheDir, 'bench') : tmpdir();
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

function nothing(): void {
  return;
}
