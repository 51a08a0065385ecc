// Where one bench, or one run of the harness of faults, happens: a folder of its own and the processes started in it.
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
  /** What each process logged last as an error, `api.log: …`: the logs go with the stage. */
  lastErrors(): readonly string[];
  /** Comes back when all is gone. */
  stop(): Promise<void>;
  /** At once, for a process that is ending. */
  kill(): void;
}

export interface StageOptions {
  readonly purpose: 'bench' | 'chaos';
  readonly onRestart: (restart: Restart) => void;
  /** Before the folder is removed: what must be let go of first. */
  readonly onRemove: (directory: string) => void;
}

/** A part that dies is started again, but no figure comes of it: its connections are cut, which fails the block. */
const BENCH: StageOptions = { purpose: 'bench', onRestart: nothing, onRemove: nothing };

/** Nothing runs yet, so that whoever holds this can stop what a failing start leaves half-way. */
export function openStage({ purpose, onRestart, onRemove } = BENCH): Stage {
  const { tools, directory, ...folder } = makeServerFolder(purpose);
  const supervisor = new Supervisor({ directory, onLaunch: nothing, onRestart });
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

/** Of runs that were killed. */
export function removeAbandonedStages({ purpose, onRemove } = BENCH): Promise<void> {
  return removeAbandoned(purpose, onRemove);
}

function lastErrorsIn(logs: string): readonly string[] {
  const names = existsSync(logs) ? readdirSync(logs) : [];
  return names
    .map((name) => ({ name, said: lastErrorIn(join(logs, name)) }))
    .filter(({ said }) => said !== '')
    .map(({ name, said }) => `${name}: ${said}`);
}

function nothing(): void {
  return;
}
