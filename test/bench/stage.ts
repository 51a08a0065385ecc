// The folder and the processes of one bench, or of one chaos run.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lastErrorIn } from '../../src/dev/stack/log-file';
import { Supervisor, type Restart } from '../../src/dev/stack/supervisor';
import type { Tools } from '../../src/dev/tools';
import { makeServerFolder, removeAbandoned } from '../support/servers/server-folder';

export interface Stage {
  readonly tools: Tools;
  readonly directory: string;
  readonly supervisor: Supervisor;
  /** The last error that each process logged, as `api.log: …`. `stop` removes the logs. */
  lastErrors(): readonly string[];
  /** Returns when all processes have ended and the folder is removed. */
  stop(): Promise<void>;
  /** Kills the processes at once, for a process that is exiting. */
  kill(): void;
}

interface StageOptions {
  readonly purpose: 'bench' | 'chaos';
  readonly onRestart: (restart: Restart) => void;
  /** Runs before the folder is removed, to release resources such as a mounted disk. */
  readonly onRemove: (directory: string) => void;
}

/**
 * A part that dies is restarted, but its lost connections fail the block, so no figure hides it.
 */
const BENCH: StageOptions = { purpose: 'bench', onRestart: nothing, onRemove: nothing };

/** Starts no process yet, so that the caller can stop everything when a later start fails. */
export function createStage({ purpose, onRestart, onRemove } = BENCH): Stage {
  const { tools, directory, ...folder } = makeServerFolder(purpose);
  const supervisor = new Supervisor({ directory, onRestart });
  const remove = () => {
    onRemove(directory);
    folder.remove();
  };
  return {
    tools,
    directory,
    supervisor,
    lastErrors: () => lastErrorsIn(join(directory, 'logs')),
    async stop() {
      await supervisor.stop();
      remove();
    },
    kill() {
      supervisor.kill();
      remove();
    },
  };
}

/** Removes the folders of killed runs. */
export function removeAbandonedStages({ purpose, onRemove } = BENCH): Promise<void> {
  return removeAbandoned(purpose, onRemove);
}

function lastErrorsIn(logs: string): readonly string[] {
  const names = existsSync(logs) ? readdirSync(logs) : [];
  return names
    .map((name) => ({ name, error: lastErrorIn(join(logs, name)) }))
    .filter(({ error }) => error !== '')
    .map(({ name, error }) => `${name}: ${error}`);
}

function nothing(): void {
  return;
}
