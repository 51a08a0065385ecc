// Decision 114: connections to partners go only to checked addresses, whatever name servers answer,
// at any time, and whatever redirects say.
import { ADDRCONFIG } from 'node:dns';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { createNameLookup } from '../../src/http/name-lookup';
import type { Outbound } from '../../src/http/outbound';
import { createPartnerAddresses } from '../../src/http/partner-addresses';
import { createPartnerOutbound } from '../../src/http/partner-outbound';
import { recogniseErrorsOfNode, times } from '../support/builders';
import { startNameServer, type NameServer } from '../support/servers/name-server';
import { withServers } from '../support/servers/counted-servers';

recogniseErrorsOfNode();

/**
 * The answers for each name. With several lists, each look-up gets the next one; the last one
 * repeats.
 */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'inward.test': [['127.0.0.1', '::1']],
  'metadata.test': [['169.254.169.254']],
  'mapped.test': [['::ffff:10.0.0.1', '64:ff9b::10.0.0.1', '::127.0.0.1', '2002:7f00:1::']],
  'mixed.test': [['10.0.0.1', '127.0.0.1', 'fd00::1', 'fe80::1']],
  'public.test': [['1.1.1.1', '10.0.0.1', '2606:4700:4700::1111', '::1']],
  'both.test': [['10.0.0.1', '2606:4700:4700::1111']],
  'elsewhere.test': [['1.1.1.1']],
  'turning.test': [['127.0.0.1'], ['10.0.0.1']],
  'jumping.test': [['127.0.0.1'], ['127.0.0.2']],
};

let names: NameServer;
beforeAll(async () => {
  names = await startNameServer(({ name, family }) => {
    const lists = NAMES[name] ?? [];
    const before = names.asked.filter((one) => one.name === name && one.family === family);
    const addresses = lists[Math.min(before.length, lists.length) - 1];
    return addresses === undefined ? undefined : { addresses };
  });
});
afterAll(() => names.close());

const servers = withServers();
const outbounds: Outbound[] = [];
beforeEach(() => names.forget());
afterEach(async () => {
  await Promise.all(outbounds.splice(0).map((outbound) => outbound.close()));
});

function outboundIn(environment: 'sandbox' | 'prod'): Outbound {
  const outbound = createPartnerOutbound({ environment }, names);
  outbounds.push(outbound);
  return outbound;
}

const answers = () => servers.http((_, response) => response.end('found'));
const send = (outbound: Outbound, url: string) =>
  outbound.send({ method: 'POST', url, body: '{}', timeoutMs: 20_000, maxBytes: 100 });

describe('in prod', () => {
  it.each([
    ['inward.test', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
    ['metadata.test', 'the address 169.254.169.254 is not public (cloud metadata,'],
    ['mapped.test', 'the address ::ffff:10.0.0.1 is not public (IPv4-mapped, RFC 4291)'],
    ['127.0.0.1', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
    ['0x7f.1', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
    ['[::ffff:127.0.0.1]', 'the address ::ffff:7f00:1 is not public (IPv4-mapped, RFC 4291)'],
    ['localhost', 'the address 127.0.0.1 is not public (loopback, RFC 1122)'],
  ])('%s is not connected to, and the failure says why', async (host, why) => {
    const server = await answers();
    await expect(send(outboundIn('prod'), `https://${host}:${server.port}/`)).rejects.toThrow(why);
    expect(server.connections).toBe(0);
  });

  it('http is denied without a look-up of the name', async () => {
    const server = await answers();
    const call = send(outboundIn('prod'), `http://elsewhere.test:${server.port}/`);
    await expect(call).rejects.toThrow('the address is not https');
    expect([server.connections, names.asked]).toEqual([0, []]);
  });
});

describe('a look-up', () => {
  const prod = createPartnerAddresses({ environment: 'prod' });
  const find = (name: string, hasIpv6 = true) =>
    new Promise((resolve) => {
      const rejectionOf = (address: string) => prod.rejectionOf(address, 'https:');
      const lookup = createNameLookup({ ...names, rejectionOf, hasIpv6: () => hasIpv6 });
      lookup(name, { all: true, hints: ADDRCONFIG }, (error, found) => {
        resolve(error?.message ?? found);
      });
    });

  it('returns only the public addresses of a name', async () => {
    await expect(find('public.test')).resolves.toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it('does not prefer a denied address for its family', async () => {
    const one = { address: '2606:4700:4700::1111', family: 6 };
    await expect(find('both.test', false)).resolves.toEqual([one]);
  });

  it('fails when no address is public', async () => {
    await expect(find('mixed.test')).resolves.toMatch(/^the address 10\.0\.0\.1 is not public/);
  });
});

describe('in the sandbox', () => {
  it('a name with a loopback address is called only there', async () => {
    const server = await answers();
    const reply = await send(outboundIn('sandbox'), `http://mixed.test:${server.port}/`);
    expect([reply.status, server.connections]).toEqual([200, 1]);
  });

  it('http to a name with a public address is denied: it is called by https only', async () => {
    const call = send(outboundIn('sandbox'), 'http://elsewhere.test/');
    await expect(call).rejects.toThrow('the address 1.1.1.1 is called by https only');
  });

  it('the connection uses the checked address: a name is looked up once per family', async () => {
    const server = await answers();
    await send(outboundIn('sandbox'), `http://jumping.test:${server.port}/`);
    expect(server.connections).toBe(1);
    expect(names.asked.map(({ family }) => family).sort()).toEqual([4, 6]);
  });

  it('200 webhooks to one host are under way at once, so none waits for another', async () => {
    const waiting: ServerResponse[] = [];
    const server = await servers.http((_, response) => {
      waiting.push(response);
      if (waiting.length === 200) for (const one of waiting) one.end('found');
    });
    const outbound = outboundIn('sandbox');
    const replies = await times(200, () => send(outbound, `http://127.0.0.1:${server.port}/`));
    expect(replies.map(({ status }) => status)).toEqual(Array(200).fill(200));
  });

  it('a name that changes to a private address is denied from its next connection on', async () => {
    const server = await servers.http((_, response) => {
      response.writeHead(200, { Connection: 'close' }).end();
    });
    const outbound = outboundIn('sandbox');
    const url = `http://turning.test:${server.port}/`;
    await expect(send(outbound, url)).resolves.toMatchObject({ status: 200 });
    await expect(send(outbound, url)).rejects.toThrow('the address 10.0.0.1 is not public');
    await expect(send(outbound, url)).rejects.toThrow('the address 10.0.0.1 is not public');
    expect(server.connections).toBe(1);
  });

  it('an open connection to a checked address is reused', async () => {
    const [server, other] = await Promise.all([answers(), answers()]);
    const outbound = outboundIn('sandbox');
    const url = `http://turning.test:${server.port}/`;
    await send(outbound, url);
    // undici returns a connection to its pool one event loop turn after the response.
    await send(outbound, `http://127.0.0.1:${other.port}/`);
    await expect(send(outbound, url)).resolves.toMatchObject({ status: 200 });
    expect([server.connections, names.asked.length]).toEqual([1, 2]);
  });
});

it('TLS sends the name, not its address, and rejects an unknown certificate', async () => {
  const [key, cert] = ['private-key.pem', 'certificate.pem'].map((file) =>
    readFileSync(join(__dirname, '../support/tls', file)),
  );
  const named: string[] = [];
  const server = await servers.start(
    createTlsServer({
      ...{ key, cert },
      SNICallback: (name, done) => {
        named.push(name);
        done(null);
      },
    }),
  );
  const call = send(outboundIn('sandbox'), `https://inward.test:${server.port}/`);
  await expect(call).rejects.toThrow(/^no answer \(\w*(CERT|SIGNATURE)\w*\)$/);
  expect(named).toEqual(['inward.test']);
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %d is not followed anywhere', async (status) => {
    const elsewhere = await servers.silent();
    const targets = [
      'http://10.0.0.1/',
      `http://127.0.0.1:${elsewhere.port}/`,
      `https://127.0.0.1:${elsewhere.port}/`,
      `//jumping.test:${elsewhere.port}/`,
      '/elsewhere',
    ];
    const outbound = outboundIn('sandbox');
    for (const Location of targets) {
      const server = await servers.http((_, response) => {
        response.writeHead(status, { Location, Refresh: `0; url=${Location}` }).end();
      });
      const reply = await send(outbound, `http://127.0.0.1:${server.port}/`);
      expect([reply.status, server.connections]).toEqual([status, 1]);
    }
    expect([elsewhere.connections, names.asked]).toEqual([0, []]);
  });
});
