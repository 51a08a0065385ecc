// Migrations of one database by several processes (src/postgres/migrate.ts).
import { PG_MIGRATE_LOCK_ID } from 'node-pg-migrate';
import { createDatabase } from '../../src/postgres/database';
import { migrate } from '../../src/postgres/migrate';
import { createEmptyDatabase } from '../support/database';
import { untilBlocked } from '../support/until-blocked';

it('a process that migrates waits for another one that does, and then has nothing to do', async () => {
  const { url, drop } = await createEmptyDatabase();
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const lock = { values: [PG_MIGRATE_LOCK_ID] };
  const second = await database.onConnection(async (connection) => {
    await connection.query({ ...lock, text: 'select pg_advisory_lock($1)' });
    const migrating = migrate(url);
    await Promise.race([untilBlocked(connection), migrating]);
    return { migrating };
  });
  await expect(second.migrating).resolves.toContain('0006-reconcile');
  await expect(migrate(url)).resolves.toEqual([]);
  await database.close();
  await drop();
});
