// Contract of the port `KeySetFetcher`, one test per sentence, for the HTTP adapter and for the
// in-memory fetcher of the API's tests.
import { createServer } from 'node:http';
import { createKeySetFetcher } from '../../src/http/key-set-fetcher';
import { createOutbound } from '../../src/http/outbound';
import { listen } from '../../src/main/listen';
import type { KeySetFetcher } from '../../src/ports/partners';
import { createMemoryKeySets } from '../support/app';
import { recogniseErrorsOfNode } from '../support/builders';

recogniseErrorsOfNode();

interface FetcherUnderTest {
  readonly fetcher: KeySetFetcher;
  /** A registered address. */
  readonly url: string;
  /** Sets the document at the address; undefined removes it. */
  publish(keySet: unknown): void;
  close(): Promise<void>;
}

async function openHttp(): Promise<FetcherUnderTest> {
  let published: unknown;
  const server = createServer((_request, response) => {
    if (published === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(published));
  });
  const port = await listen(server, 0, '127.0.0.1');
  const outbound = createOutbound();
  return {
    fetcher: createKeySetFetcher(outbound),
    url: `http://127.0.0.1:${String(port)}/.well-known/jwks.json`,
    publish: (keySet) => {
      published = keySet;
    },
    async close() {
      await outbound.close();
      server.close();
    },
  };
}

function openMemory(): Promise<FetcherUnderTest> {
  const memory = createMemoryKeySets([]);
  const url = 'https://partner.example/.well-known/jwks.json';
  return Promise.resolve({
    fetcher: memory,
    url,
    publish: (keySet) => {
      if (keySet === undefined) memory.published.delete(url);
      else memory.published.set(url, keySet);
    },
    close: () => Promise.resolve(),
  });
}

describe.each([
  ['the HTTP adapter', openHttp],
  ['the in-memory fetcher of the API’s tests', openMemory],
])('%s as the fetcher of key sets', (_name, open) => {
  let under: FetcherUnderTest;
  beforeEach(async () => {
    under = await open();
  });
  afterEach(() => under.close());

  const fetchKeySet = () => under.fetcher.fetchKeySet(under.url);

  it.each([
    ['a key set', { keys: [{ kid: 'one', kty: 'RSA' }] }],
    ['JSON that is no key set, which its caller rejects', ['anything']],
  ])('returns %s unchanged', async (_what, keySet) => {
    under.publish(keySet);
    await expect(fetchKeySet()).resolves.toEqual(keySet);
  });

  it('caches nothing: every call returns the present document', async () => {
    under.publish({ keys: [{ kid: 'one' }] });
    await fetchKeySet();
    under.publish({ keys: [{ kid: 'two' }] });
    await expect(fetchKeySet()).resolves.toEqual({ keys: [{ kid: 'two' }] });
    under.publish(undefined);
    await expect(fetchKeySet()).rejects.toThrow('404');
  });

  it('throws an error that names the cause when there is no document', async () => {
    under.publish(undefined);
    await expect(fetchKeySet()).rejects.toThrow('the key set answered 404');
  });
});
