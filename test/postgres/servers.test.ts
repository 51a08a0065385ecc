// A connection string with several hosts: which of them new connections go to.
import { connectionStrings } from '../../src/domain/connection-strings';
import { DomainError } from '../../src/domain/errors';
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

it('goes to the next host when one does not answer, and stays there', async () => {
  const url = withHosts(NOWHERE, 'ours');
  const database = createDatabase({ url, poolSize: 2, onLostConnection: () => undefined });
  const ask = () => database.query({ text: 'select 1 as one' });
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
  await expect(Promise.all([ask(), ask()])).resolves.toHaveLength(2);
  await database.close();
});

const unavailable = (options: ConstructorParameters<typeof DomainError>[1]) =>
  new DomainError('unavailable', options);
const withState = (code: string) => Object.assign(new Error('a failure'), { code });

it.each([
  ['a closed port', unavailable({ cause: withState('ECONNREFUSED') }), true],
  ['silence', unavailable({ cause: new Error('Query read timeout') }), true],
  ['a server that stops', unavailable({ cause: withState('57P01') }), true],
  ['a standby', unavailable({ reason: 'postgres_standby' }), true],
  ['a standby that took a write', unavailable({ cause: withState('25006') }), true],
  ['a statement that took too long', unavailable({ cause: withState('57014') }), false],
  ['a deadlock', unavailable({ cause: withState('40P01') }), false],
  ['a rejection', new DomainError('conflict'), false],
])('%s: the next connection goes elsewhere: %s', async (_what, error, isLeft) => {
  const servers = chooseServer(withHosts('ours', NOWHERE));
  const hostNow = () => new servers.Client({}).port;
  const first = hostNow();
  const failing = servers.leavingAfter(() => Promise.reject(error));
  await expect(failing).rejects.toBe(error);
  expect(hostNow() !== first).toBe(isLeft);
});

it('two calls that fail at once leave a host once', async () => {
  const servers = chooseServer(withHosts('ours', NOWHERE));
  const fail = () => Promise.reject(unavailable({ cause: withState('ECONNRESET') }));
  await Promise.allSettled([servers.leavingAfter(fail), servers.leavingAfter(fail)]);
  expect(new servers.Client({}).port).toBe(1);
});

it('a program that makes its own connection gets the host that accepts writes', async () => {
  const writable = await writableServer(withHosts(NOWHERE, 'ours'));
  expect(writable).toBe(withHosts('ours'));
  await expect(writableServer(withHosts(NOWHERE, NOWHERE))).rejects.toThrow('ECONNREFUSED');
});
