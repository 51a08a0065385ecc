// A connection string with several hosts: which of them new connections go to.
import { connectionStrings } from '../../src/domain/connection-strings';
import { createDatabase } from '../../src/postgres/database';
import { chooseServer, writableServer } from '../../src/postgres/servers';
import { recogniseErrorsOfNode } from '../support/builders';
import { withDatabase } from '../support/brackets';

recogniseErrorsOfNode();

const bed = withDatabase();
/** No server listens at this host. */
const NOWHERE = '127.0.0.1:1';

/** The address of the test's database with other hosts. */
function withHosts(...hosts: readonly string[]): string {
  const { host } = new URL(bed.url);
  const given = hosts.map((one) => (one === 'ours' ? host : one)).join(',');
  return `${bed.url.replace(host, given)}?target_session_attrs=read-write`;
}

it.each([
  ['postgres://me:secret@one/name', ['postgres://me:secret@one/name']],
  [
    'postgresql://me:s@one:5432,two/name?target_session_attrs=read-write',
    [
      'postgresql://me:s@one:5432/name?target_session_attrs=read-write',
      'postgresql://me:s@two/name?target_session_attrs=read-write',
    ],
  ],
  ['postgres://[::1]:5432,[::2]/n', ['postgres://[::1]:5432/n', 'postgres://[::2]/n']],
])('%s has its hosts in order', (url, expected) => {
  expect(connectionStrings(url)).toEqual(expected);
});

const open = (...hosts: readonly string[]) =>
  createDatabase({
    ...{ url: withHosts(...hosts), poolSize: 2, onLostConnection: () => undefined },
  });
const ASK = { text: 'select 1 as one' };
const ANSWER = { rows: [{ one: 1 }] };

it('the first statement goes to the next host when one does not answer', async () => {
  const database = open(NOWHERE, 'ours');
  await expect(database.query(ASK)).resolves.toMatchObject(ANSWER);
  await expect(Promise.all([database.query(ASK), database.query(ASK)])).resolves.toHaveLength(2);
  await database.close();
});

it('is unavailable once no host answers', async () => {
  const database = open(NOWHERE, NOWHERE);
  await expect(database.query(ASK)).rejects.toMatchObject({ code: 'unavailable' });
  await database.close();
});

it('does not leave a host because every connection is in use', async () => {
  const servers = chooseServer(withHosts('ours', NOWHERE));
  const busy = new Error('timeout exceeded when trying to connect');
  await expect(servers.connect(() => Promise.reject(busy))).rejects.toBe(busy);
  expect(new servers.Client().port).not.toBe(1);
});

it('closes a connection to a host that was left since', async () => {
  const servers = chooseServer(withHosts('ours', NOWHERE));
  const before = new servers.Client();
  expect(servers.isLeft(before)).toBe(false);
  let calls = 0;
  const taken = new Error('taken');
  const take = () => {
    calls += 1;
    return Promise.reject(calls === 1 ? new Error('refused') : taken);
  };
  await expect(servers.connect(take)).rejects.toBe(taken);
  expect(servers.isLeft(before)).toBe(true);
});

it('a program that makes its own connection gets the host that accepts writes', async () => {
  const writable = await writableServer(withHosts(NOWHERE, 'ours'));
  expect(writable).toBe(withHosts('ours'));
  await expect(writableServer(withHosts(NOWHERE, NOWHERE))).rejects.toThrow('ECONNREFUSED');
});
