// Our own Postgres as a part: its data survives a kill -9, and a lock file with the pid of another
// program does not stop it.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { freePorts } from '../../../src/dev/stack/ports';
import { databaseUrl, postgresPart, type Cluster } from '../../../src/dev/stack/postgres';
import { identify } from '../../../src/dev/stack/processes';
import { Supervisor } from '../../../src/dev/stack/supervisor';
import { readTools } from '../../../src/dev/tools';
import { until } from '../../../src/dev/until';
import { withFolder } from '../setup/scripts';
import { withClient } from '../../support/database';

interface System {
  readonly cluster: Cluster;
  readonly supervisor: Supervisor;
  readonly restarts: { count: number };
}

function withCluster(work: (system: System) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    chmodSync(folder, 0o711);
    const [port = 0] = await freePorts(1);
    const cluster = {
      programs: readTools().postgres,
      dataDir: join(folder, 'data'),
      port,
      password: 'secret',
      settings: { fsync: 'off' },
    };
    const restarts = { count: 0 };
    const onRestart = () => (restarts.count += 1);
    const supervisor = new Supervisor({ directory: folder, onRestart });
    try {
      await work({ cluster, supervisor, restarts });
    } finally {
      await supervisor.stop();
    }
  });
}

async function query(cluster: Cluster, text: string): Promise<unknown[]> {
  const run = (client: Client) => client.query<Record<string, unknown>>(text);
  return (await withClient(databaseUrl(cluster), run)).rows;
}

describe('the embedded Postgres', () => {
  it('keeps committed rows over a kill -9 and is restarted', () =>
    withCluster(async ({ cluster, supervisor, restarts }) => {
      await supervisor.start(postgresPart(cluster));
      await query(cluster, 'create table committed (n int)');
      await query(cluster, 'insert into committed values (7)');
      process.kill(supervisor.running()[0]?.pid ?? 0, 'SIGKILL');
      await until(() => restarts.count === 1, { timeoutMs: 20_000 });
      await expect(query(cluster, 'select n from committed')).resolves.toEqual([{ n: 7 }]);
    }));

  it('starts although its lock file names a process that is not Postgres, and does not end that process', () =>
    withCluster(async ({ cluster, supervisor }) => {
      await supervisor.start(postgresPart(cluster));
      await supervisor.stop();
      writeFileSync(join(cluster.dataDir, 'postmaster.pid'), `${String(process.pid)}\n`);
      const next = new Supervisor({ directory: join(cluster.dataDir, '..') });
      await next.start(postgresPart(cluster));
      await expect(query(cluster, 'select 1 as one')).resolves.toEqual([{ one: 1 }]);
      await next.stop();
      expect(identify(process.pid)).toBeDefined();
    }));

  it('requires the password and sorts by code point in UTF-8', () =>
    withCluster(async ({ cluster, supervisor }) => {
      await supervisor.start(postgresPart(cluster));
      const wrong = { ...cluster, password: 'guess' };
      await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed');
      const [row] = await query(
        cluster,
        `select current_setting('server_encoding') as encoding, 'Z' < 'a' as by_code_point`,
      );
      expect(row).toEqual({ encoding: 'UTF8', by_code_point: true });
    }));
});
