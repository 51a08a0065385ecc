// Counts the commits of some work in one database, by the write-ahead log. `pg_stat_database` is
// not usable: it is late, counts every SELECT as a commit, and includes autovacuum. In the log only
// a transaction with writes has a commit record, exactly one, and its records name the database and
// the relations, so that other tests on the same server do not count.
import { Client } from 'pg';

export interface CommitCounter {
  /**
   * Number of committed transactions that changed or locked a row of this database during the work.
   */
  countDuring(work: () => Promise<unknown>): Promise<number>;
  /**
   * Also the size of their records, without full-page images, which depend on the last checkpoint.
   */
  measureDuring(work: () => Promise<unknown>): Promise<Written>;
  close(): Promise<void>;
}

interface Written {
  readonly commits: number;
  readonly bytes: number;
}

/** Uses a separate connection, so that it does not disturb the counted work. */
export async function openCommitCounter(databaseUrl: string): Promise<CommitCounter> {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query('create extension if not exists pg_walinspect');
  const measureDuring = async (work: () => Promise<unknown>) => {
    const start = await mark(client);
    await work();
    return readWritten(client, start, await mark(client));
  };
  return {
    measureDuring,
    countDuring: async (work) => (await measureDuring(work)).commits,
    close: () => client.end(),
  };
}

/**
 * Writes and flushes a record outside transactions, so that there is always a record between two
 * marks.
 */
async function mark(client: Client): Promise<string> {
  const { rows } = await client.query<{ readonly lsn: string }>(
    `select pg_logical_emit_message(false, 'mark', '', true) as lsn`,
  );
  return rows[0]?.lsn ?? '';
}

/**
 * Relations are named `tablespace/database/filenode`. Catalog relations do not count, because
 * autovacuum writes them too.
 */
async function readWritten(client: Client, start: string, end: string): Promise<Written> {
  const { rows } = await client.query<Written>(
    `with records as materialized (
       select xid, resource_manager, record_type, block_ref, record_length - fpi_length as bytes
         from pg_get_wal_records_info($1, $2) where xid::text <> '0'
     ),
     ours as (
       select format(' %s/%s/%s ',
                     coalesce(nullif(c.reltablespace, 0), d.dattablespace), d.oid,
                     pg_relation_filenode(c.oid)) as name
         from pg_class c, pg_database d
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i', 'S')
          and d.datname = current_database()
     ),
     writers as (
       select distinct r.xid from records r join ours o on strpos(r.block_ref, o.name) > 0
     )
     select count(*) filter (where r.resource_manager = 'Transaction'
                               and r.record_type = 'COMMIT')::int as commits,
            coalesce(sum(r.bytes), 0)::int as bytes
       from records r join writers w on w.xid = r.xid`,
    [start, end],
  );
  return rows[0] ?? { commits: 0, bytes: 0 };
}
