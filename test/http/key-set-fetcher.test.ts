// Decision 110: a partner's key set is fetched within limits of time and size, without redirects.
import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createKeySetFetcher } from '../../src/http/key-set-fetcher';
import { createOutbound } from '../../src/http/outbound';
import { listen } from '../../src/main/listen';
import { recogniseErrorsOfNode } from '../support/builders';
import { withServers } from '../support/servers/counted-servers';

recogniseErrorsOfNode();

const outbound = createOutbound();
afterAll(() => outbound.close());

const servers = withServers();

/** Fetches from a server with this listener. */
async function fetchFrom(listener: RequestListener): Promise<unknown> {
  const { port } = await servers.http(listener);
  const url = `http://127.0.0.1:${port}/.well-known/jwks.json`;
  return createKeySetFetcher(outbound).fetchKeySet(url);
}

describe('a key set is fetched', () => {
  it('with a GET without body, credentials or cookies', async () => {
    const received: unknown[] = [];
    await fetchFrom(({ method, url, headers }, response) => {
      const secrets = [headers.authorization, headers.cookie, headers['content-length']];
      received.push(method, url, ...secrets);
      response.end('{}');
    });
    const nothing = [undefined, undefined, undefined];
    expect(received).toEqual(['GET', '/.well-known/jwks.json', ...nothing]);
  });

  it('uncompressed, because nothing decodes the answer', async () => {
    const codings: unknown[] = [];
    await fetchFrom(({ headers }, response) => {
      codings.push(headers['accept-encoding']);
      response.end('{}');
    });
    expect(codings).toEqual(['identity']);
  });

  it('up to 64 kB', async () => {
    const text = JSON.stringify({ keys: [] }).padEnd(65_536, ' ');
    await expect(fetchFrom((_, response) => response.end(text))).resolves.toEqual({ keys: [] });
  });
});

it('a key set is read behind 100 Continue', async () => {
  const fetched = fetchFrom((_, response) => {
    response.writeContinue();
    response.end('{"keys":[]}');
  });
  await expect(fetched).resolves.toEqual({ keys: [] });
});

it('a key set may begin with a byte order mark', async () => {
  const text = `\ufeff${JSON.stringify({ keys: [] })}`;
  await expect(fetchFrom((_, response) => response.end(text))).resolves.toEqual({ keys: [] });
});

describe('a key set is not fetched', () => {
  it('in a compression that was not requested, and the cause says so', async () => {
    const compressed = fetchFrom((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"keys":[]}'));
    });
    await expect(compressed).rejects.toThrow(
      'the key set has the Content-Encoding gzip, which was not requested',
    );
    const plain = fetchFrom((_, response) => {
      response.writeHead(200, { 'content-encoding': 'identity' }).end('{"keys":[]}');
    });
    await expect(plain).resolves.toEqual({ keys: [] });
  });

  it.each([301, 302, 303, 307, 308])('through a redirect with %d', async (status) => {
    const urls: (string | undefined)[] = [];
    const redirected = fetchFrom(({ url }, response) => {
      urls.push(url);
      response.writeHead(status, { Location: '/elsewhere' }).end();
    });
    await expect(redirected).rejects.toThrow(`the key set answered ${String(status)}`);
    expect(urls).toEqual(['/.well-known/jwks.json']);
  });

  it.each([204, 404, 500])('from an answer of %d', async (status) => {
    const failing = fetchFrom((_, response) => response.writeHead(status).end());
    await expect(failing).rejects.toThrow(`the key set answered ${String(status)}`);
  });

  it('that is larger than 64 kB, and it is not read completely', async () => {
    const endless = fetchFrom((_, response) => {
      const write = () => {
        while (response.writable && response.write(' '.repeat(16_384)));
      };
      response.on('drain', write).on('error', () => undefined);
      write();
    });
    await expect(endless).rejects.toThrow('the key set is larger than 65536 bytes');
  });

  it('that is not JSON', async () => {
    await expect(fetchFrom((_, response) => response.end('<html>'))).rejects.toThrow(/JSON/);
  });

  it('from a server that cuts the connection or does not listen', async () => {
    const cut = fetchFrom((request) => request.socket.destroy());
    await expect(cut).rejects.toThrow('connection closed');
    const unused = createServer();
    const port = await listen(unused, 0, '127.0.0.1');
    await new Promise((resolve) => unused.close(resolve));
    const fetching = createKeySetFetcher(outbound).fetchKeySet(`http://127.0.0.1:${String(port)}/`);
    await expect(fetching).rejects.toThrow('connection refused');
  });
});
