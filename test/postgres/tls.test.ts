// A connection string with `sslmode=verify-full`, as prod uses it: encrypted, and only with a
// server whose certificate our authority has signed for this address.
import { createDatabase } from '../../src/postgres/database';
import { AUTHORITY_FILE, NEXT_AUTHORITY_FILE } from '../support/servers/hosted-temporal';
import { recogniseErrorsOfNode } from '../support/builders';
import { startOwnPostgres, type OwnPostgres } from '../support/servers/own-postgres';

recogniseErrorsOfNode();

let server: OwnPostgres;
beforeAll(async () => {
  server = await startOwnPostgres(true);
});
afterAll(() => server.database.drop());

const connect = (authority: string) =>
  createDatabase({
    url: `${server.database.url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`,
    poolSize: 1,
    onLostConnection: () => undefined,
  });

it('encrypts the connection', async () => {
  const database = connect(AUTHORITY_FILE);
  const { rows } = await database.query<{ readonly ssl: boolean }>({
    text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
  });
  expect(rows).toEqual([{ ssl: true }]);
  await database.close();
});

it('rejects a server of another authority', async () => {
  const database = connect(NEXT_AUTHORITY_FILE);
  await expect(database.query({ text: 'select 1' })).rejects.toMatchObject({
    code: 'unavailable',
  });
  await database.close();
});
