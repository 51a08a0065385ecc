// A separate Postgres for one test, which is killed by kill -9 and restarted after a given time.
// That time is the fault itself, not a wait of the test.
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../../../src/dev/stack/ports';
import { databaseUrl, postgresPart } from '../../../src/dev/stack/postgres';
import { isAlive } from '../../../src/dev/stack/processes';
import { Supervisor } from '../../../src/dev/stack/supervisor';
import { until } from '../../../src/dev/until';
import { migrate } from '../../../src/postgres/migrate';
import type { Tools } from '../../../src/dev/tools';
import type { TestDatabase } from '../database';
import { makeServerFolder } from './server-folder';

export interface OwnPostgres {
  /** Migrated. `drop` stops the server. */
  readonly database: TestDatabase;
  /** Resolves when the server is gone. `isBack` resolves when it accepts connections again. */
  killFor(ms: number): Promise<{ readonly isBack: Promise<void> }>;
}

const PASSWORD = 'only-on-loopback-and-gone-after-the-test';
const GONE_WITHIN_MS = 5_000;
const CERTIFICATE_FILE = join(__dirname, '..', 'tls', 'server.pem');
const AUTHORITY_FILE = join(__dirname, '..', 'tls', 'authority.pem');

/**
 * @param isTls whether it also takes connections over TLS, with the certificate of `server.pem`,
 * and knows the clients of its authority
 */
export async function startOwnPostgres(isTls = false): Promise<OwnPostgres> {
  const { tools, directory, remove } = makeServerFolder('test');
  const [port = 0] = await freePorts(1);
  const dataDir = join(directory, 'postgres');
  // Only the program is killed, not the machine: committed data survives without fsync.
  const settings = { fsync: 'off', ...(isTls && tlsIn(directory, tools)) };
  const cluster = { programs: tools.postgres, dataDir, port, password: PASSWORD, settings };
  const outage: { isOver: Promise<void>; onBack: () => void } = {
    isOver: Promise.resolve(),
    onBack: () => undefined,
  };
  const part = postgresPart(cluster);
  const supervisor = new Supervisor({
    directory,
    onRestart: () => {
      outage.onBack();
    },
  });
  const stop = async () => {
    await supervisor.stop();
    remove();
  };
  await supervisor.start({
    ...part,
    async prepare() {
      await outage.isOver;
      return part.prepare();
    },
  });
  await migrate(databaseUrl(cluster));
  return {
    database: { url: databaseUrl(cluster), drop: stop },
    async killFor(ms) {
      const isBack = new Promise<void>((resolve) => {
        outage.onBack = resolve;
      });
      outage.isOver = pause(ms);
      const [server] = supervisor.running();
      if (server === undefined) throw new Error('no Postgres is running');
      process.kill(server.pid, 'SIGKILL');
      await until(() => !isAlive(server), { timeoutMs: GONE_WITHIN_MS });
      return { isBack };
    },
  };
}

/** Postgres rejects a key that others may read. */
function tlsIn(directory: string, { postgres: { user } }: Tools) {
  const file = join(directory, 'server.pem');
  writeFileSync(file, readFileSync(CERTIFICATE_FILE), { mode: 0o600 });
  if (user !== undefined) chownSync(file, user.uid, user.gid);
  const authority = join(directory, 'authority.pem');
  writeFileSync(authority, readFileSync(AUTHORITY_FILE), { mode: 0o644 });
  if (user !== undefined) chownSync(authority, user.uid, user.gid);
  return { ssl: 'on', ssl_cert_file: file, ssl_key_file: file, ssl_ca_file: authority };
}
