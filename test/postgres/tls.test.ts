// A connection string with `sslmode=verify-full`, as prod uses it: encrypted, and only with a
// server whose certificate our authority has signed for this address.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../../src/postgres/approvals/decide';
import { createDatabase } from '../../src/postgres/database';
import { recordEnvironment } from '../../src/postgres/service-environment';
import { withClient } from '../support/database';
import { ROOT } from '../support/programs/fixture-project';
import {
  AUTHORITY_FILE,
  CLIENT_FILE,
  NEXT_AUTHORITY_FILE,
  NEXT_CLIENT_FILE,
} from '../support/servers/hosted-temporal';
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

// Each person has a login (decision 159), here by the certificate whose common name it is.
describe('the login of an operator, by certificate', () => {
  beforeAll(() =>
    withClient(server.database.url, async (owner) => {
      await owner.query(readFileSync(join(ROOT, 'deploy/postgres/roles.sql'), 'utf8'));
      await owner.query('create role worker login in role payments_operator');
      const { rows } = await owner.query<{ readonly hba_file: string }>('show hba_file');
      const file = rows[0]?.hba_file ?? '';
      writeFileSync(file, `hostssl all worker all cert\n${readFileSync(file, 'utf8')}`);
      await owner.query('select pg_reload_conf()');
      await recordEnvironment(owner, 'prod');
    }),
  );

  const loginWith = (certificate: string) => {
    const url = new URL(server.database.url);
    url.username = 'worker';
    url.password = '';
    const files = { sslrootcert: AUTHORITY_FILE, sslcert: certificate, sslkey: certificate };
    url.search = new URLSearchParams({ sslmode: 'verify-full', ...files }).toString();
    return createDatabase({ url: url.href, poolSize: 1, onLostConnection: () => undefined });
  };
  const STOP = { verb: 'payouts stop', given: { reason: 'a drill', kind: 'operator' } };

  it('is the name in the audit trail, whatever was typed', async () => {
    const database = loginWith(CLIENT_FILE);
    await decide(database, { ...STOP, actor: 'somebody' });
    const { rows } = await database.query({ text: 'select actor from payout_stops' });
    expect(rows).toEqual([{ actor: 'worker' }]);
    await database.close();
  });

  it('is rejected with a certificate of another authority', async () => {
    const database = loginWith(NEXT_CLIENT_FILE);
    await expect(decide(database, STOP)).rejects.toThrow(/certificate|unavailable/);
    await database.close();
  });
});
