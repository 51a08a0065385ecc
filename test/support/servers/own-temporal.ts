// A separate Temporal dev server with its data in files: it can be stopped, restored from a copy of
// the files, and restarted at the same address.
import { existsSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '../../../src/dev/stack/ports';
import { Supervisor } from '../../../src/dev/stack/supervisor';
import { temporalAddress, temporalPart } from '../../../src/dev/stack/temporal';
import { temporalCliOf } from '../../../src/dev/tools';
import { makeServerFolder } from './server-folder';

export interface OwnTemporal {
  readonly address: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The server must be stopped. Copies the files for `putBack`; only the last copy counts. */
  backUp(): Promise<void>;
  /** The server must be stopped. */
  putBack(): Promise<void>;
  /** The server must be stopped. Deletes its data. */
  lose(): void;
  close(): Promise<void>;
}

/** The files of SQLite. */
const FILES = ['', '-wal', '-shm', '-journal'].map((suffix) => `temporal.db${suffix}`);

export async function startOwnTemporal(): Promise<OwnTemporal> {
  const { tools, directory, remove } = makeServerFolder('test');
  const [port = 0] = await freePorts(1);
  const databaseFile = join(directory, 'temporal.db');
  const server = { cli: temporalCliOf(tools), port, cwd: directory, databaseFile };
  let supervisor: Supervisor | undefined;
  const lose = () => {
    for (const file of FILES) rmSync(join(directory, file), { force: true });
  };
  const start = () => {
    supervisor = new Supervisor({ directory });
    return supervisor.start(temporalPart(server));
  };
  const stop = async () => supervisor?.stop();
  await start();
  return {
    ...{ address: temporalAddress(server), start, stop, lose },
    backUp: () => copyFiles(directory, (file) => file, copyOf),
    async putBack() {
      lose();
      await copyFiles(directory, copyOf, (file) => file);
    },
    async close() {
      await stop();
      remove();
    },
  };
}

function copyOf(file: string): string {
  return `copy-${file}`;
}

type Naming = (file: string) => string;

async function copyFiles(directory: string, from: Naming, to: Naming): Promise<void> {
  for (const file of FILES) {
    const source = join(directory, from(file));
    const target = join(directory, to(file));
    if (existsSync(source)) await cp(source, target);
    else rmSync(target, { force: true });
  }
}
