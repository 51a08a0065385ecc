// Decision 110: look-ups of partner names, where one partner's silent name servers delay no other
// look-up.
import { createSocket } from 'node:dgram';
import { ADDRCONFIG, type LookupAddress, type LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { createNameLookup } from '../../src/http/name-lookup';
import type { Outbound } from '../../src/http/outbound';
import { createPartnerOutbound } from '../../src/http/partner-outbound';
import { recogniseErrorsOfNode } from '../support/builders';
import {
  NO_SUCH_NAME,
  REFUSED,
  SERVER_FAILURE,
  startNameServer,
  type NameAnswer,
  type NameServer,
  type Question,
} from '../support/servers/name-server';
import { withServers } from '../support/servers/counted-servers';

recogniseErrorsOfNode();

const ANSWERS: Readonly<Record<string, (question: Question) => NameAnswer>> = {
  both: () => ({ addresses: ['127.0.0.1', '::1'] }),
  ipv4: () => ({ addresses: ['127.0.0.1'] }),
  ipv6: () => ({ addresses: ['::1'] }),
  halfsilent: ({ family }) => (family === 4 ? { addresses: ['127.0.0.1'] } : 'nothing'),
  halfbroken: ({ family }) =>
    family === 4 ? { addresses: ['127.0.0.1'] } : { code: SERVER_FAILURE },
  unknown: ({ family }) => ({ code: family === 4 ? NO_SUCH_NAME : SERVER_FAILURE }),
  none: () => ({ code: NO_SUCH_NAME }),
  empty: () => ({ addresses: [] }),
  broken: () => ({ code: SERVER_FAILURE }),
  refusing: () => ({ code: REFUSED }),
};

let names: NameServer;

beforeAll(async () => {
  names = await startNameServer((question) =>
    ANSWERS[question.name.split('.')[0] ?? '']?.(question),
  );
});
afterAll(() => names.close());
beforeEach(() => names.forget());

interface Found {
  readonly error: NodeJS.ErrnoException | null;
  readonly address: string | LookupAddress[];
  readonly family: number | undefined;
}

function find(lookup: LookupFunction, name: string, options: LookupOptions): Promise<Found> {
  return new Promise((resolve) => {
    lookup(name, options, (error, address, family) => {
      resolve({ error, address, family });
    });
  });
}

const lookUp = (name: string, options: LookupOptions = { all: true }, hasIpv6 = true) =>
  find(
    createNameLookup({ servers: names.servers, timeoutMs: 500, hasIpv6: () => hasIpv6 }),
    name,
    options,
  );
const IPV4 = { address: '127.0.0.1', family: 4 };
const IPV6 = { address: '::1', family: 6 };

describe('a look-up', () => {
  it.each<[string, LookupAddress[]]>([
    ['both.test', [IPV4, IPV6]],
    ['ipv4.test', [IPV4]],
    ['ipv6.test', [IPV6]],
    ['halfbroken.test', [IPV4]],
    ['halfsilent.test', [IPV4]],
  ])('of %s finds all of its addresses', async (name, addresses) => {
    expect(await lookUp(name)).toMatchObject({ address: addresses });
    expect(await lookUp(name, {})).toEqual({ error: null, ...addresses[0] });
  });

  it('leaves out IPv6 on a machine without IPv6, unless there is no IPv4', async () => {
    const options = { all: true, hints: ADDRCONFIG };
    expect(await lookUp('both.test', options, true)).toMatchObject({ address: [IPV4, IPV6] });
    expect(await lookUp('both.test', options, false)).toMatchObject({ address: [IPV4] });
    expect(await lookUp('ipv6.test', options, false)).toMatchObject({ address: [IPV6] });
    const withoutHint = await lookUp('both.test', { all: true }, false);
    expect(withoutHint).toMatchObject({ address: [IPV4, IPV6] });
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'acme.localhost', 'a.b.Localhost.'])(
    'of %s queries no name server',
    async (name) => {
      expect(await lookUp(name)).toMatchObject({ address: [IPV4, IPV6] });
      expect(names.asked).toEqual([]);
    },
  );

  it.each([
    ['none.test', 'ENOTFOUND'],
    ['empty.test', 'ENOTFOUND'],
    [`${'x'.repeat(64)}.test`, 'ENOTFOUND'],
    ['unknown.test', 'EAI_AGAIN'],
    ['broken.test', 'EAI_AGAIN'],
    ['refusing.test', 'EAI_AGAIN'],
    ['silent.test', 'EAI_AGAIN'],
  ])('of %s fails with %s', async (name, code) => {
    expect(await lookUp(name)).toMatchObject({ error: { code, hostname: name } });
  });

  it('without a listening name server fails with EAI_AGAIN, not ECONNREFUSED', async () => {
    const unused = createSocket('udp4').bind(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port } = unused.address();
    await new Promise<void>((resolve) => unused.close(resolve));
    const lookup = createNameLookup({ servers: [`127.0.0.1:${String(port)}`], timeoutMs: 500 });
    expect(await find(lookup, 'both.test', {})).toMatchObject({ error: { code: 'EAI_AGAIN' } });
  });
});

describe('a call', () => {
  let outbound: Outbound;
  beforeAll(() => {
    outbound = createPartnerOutbound({ environment: 'sandbox' }, { servers: names.servers });
  });
  afterAll(() => outbound.close());

  const call = (url: string) =>
    outbound.send({ method: 'GET', url, timeoutMs: 20_000, maxBytes: 100 });

  const servers = withServers();
  const served = async () => (await servers.http((_, response) => response.end('found'))).port;

  it.each(['both.test', 'ipv4.test', 'localhost', '127.0.0.1'])('finds %s', async (name) => {
    const reply = await call(`http://${name}:${await served()}/`);
    expect(reply.body.toString()).toBe('found');
  });

  it('to a name that does not exist fails with that cause', async () => {
    await expect(call('http://none.test/')).rejects.toThrow('the name does not resolve');
    await expect(call('http://broken.test/')).rejects.toThrow(
      'the name does not resolve at the moment',
    );
  });

  it('waits for no other name, and the system’s look-up does not wait for ours', async () => {
    const hung = ['silent-1.test', 'silent-2.test', 'silent-3.test', 'silent-4.test'];
    const failed: string[] = [];
    const calls = hung.map((name) =>
      call(`http://${name}/`).catch(() => {
        failed.push(name);
      }),
    );
    await names.untilAsked(hung);
    const reply = await call(`http://both.test:${await served()}/`);
    const { address } = await systemLookup('localhost');
    expect([reply.status, address, failed]).toEqual([200, expect.any(String), []]);
    await Promise.all(calls);
    expect(failed).toHaveLength(4);
  });
});
