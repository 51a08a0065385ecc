// A worker of another installation on the namespace of the system, with a database and keys of its
// own. It must exit by itself, with one sentence, before it takes a task (decision 128).
import { namedSettings } from '../../../src/config/corridors';
import { setTimeout as pause } from 'node:timers/promises';
import { runTask } from '../../../src/dev/stack/own-process';
import { startProgram } from '../../support/programs/own-program';
import { isDone, type Injector } from './injector';

const DATABASE = 'foreign_installation';
const REFUSED = /^The Temporal namespace \S+ belongs to another installation: [^\n]*\n$/;

/** @throws Error if the worker begins to work, or ends in another way */
export const startForeignWorker: Injector = async ({ lastsMs }, { system, database }) => {
  // It exists after the first time.
  await isDone(database.query({ text: `create database ${DATABASE}` }));
  const { tasks, servers } = system;
  const url = Object.assign(new URL(servers.postgres), { pathname: `/${DATABASE}` }).href;
  const migration = { name: 'migrate-foreign', script: 'src/main/migrate.ts' };
  const env = { ...tasks.env, DATABASE_URL: url };
  if (!(await isDone(runTask(migration, { ...tasks, env })))) return false;
  const worker = startProgram('worker', {
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: new URL(servers.temporal).host,
    ...namedSettings('PROVIDER_URL_', '', () => servers.provider),
  });
  const over = new AbortController();
  const timeout = pause(lastsMs, undefined, { signal: over.signal }).catch(() => undefined);
  const ended = await Promise.race([worker.ended, timeout]);
  over.abort();
  await worker.kill();
  if (worker.log().includes('"msg":"ready"')) throw new Error('A foreign worker began to work.');
  // Temporal or Postgres was away all the time.
  if (ended === undefined) return false;
  if (ended.code === 2 && REFUSED.test(ended.stderr)) return true;
  throw new Error(`A foreign worker ended with ${String(ended.code)}: ${ended.stderr}`);
};
