// Callbacks of the sandbox provider, read by the engine's own adapter.
import { once, EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { listen } from '../../src/main/listen';
import { createOutbound } from '../../src/http/outbound';
import { createHttpProvider } from '../../src/providers/http/provider';
import { readBody } from '../../src/sandbox/http-server';
import { referenceOf } from '../../src/sandbox/provider/local-amounts';
import { ProviderCaller, TOKEN } from './provider-caller';

const outbound = createOutbound();
const adapter = createHttpProvider(outbound, { baseUrl: 'http://127.0.0.1:9', token: TOKEN });

/** The engine: it reads callbacks as a worker does. */
let engine: Server;
let url = '';
let provider: ProviderCaller;
const requests: string[] = [];
const read = new EventEmitter();

beforeEach(async () => {
  requests.length = 0;
  engine = createServer((request, response) => {
    void readBody(request, 1_024).then((body) => {
      const hint = adapter.readCallback(request.headers, body);
      requests.push(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(hint)}`);
      response.end();
      read.emit('callback');
    });
  });
  url = `http://127.0.0.1:${String(await listen(engine, 0, '127.0.0.1'))}`;
  provider = new ProviderCaller();
});
afterEach(async () => {
  await provider.stop();
  engine.close();
});
afterAll(() => outbound.close());

const about = (key: string) => JSON.stringify({ key, reference: referenceOf(key) });

it.each([
  ['is paid after it was pending', 40_004, 3_000],
  ['is declined after it was pending', 40_009, 30_000],
  ['is returned', 40_010, 3_000],
])('one is sent when an order %s, and names the payment only', async (_what, amount, afterMs) => {
  await provider.start(url);
  await provider.post({ key: 'a', amount });
  const called = once(read, 'callback');
  provider.time.advance(afterMs - 1);
  expect(requests).toEqual([]);
  provider.time.advance(1);
  await called;
  expect(requests).toEqual([`POST /callbacks/th_qrpay ${about('a')}`]);
});

it.each([
  ['an order that is paid at once', 1_250, true],
  ['any order without an address', 40_004, false],
])('none is sent of %s', async (_what, amount, hasAddress) => {
  await provider.start(hasAddress ? url : undefined);
  const before = provider.time.waiting();
  await provider.post({ key: 'a', amount });
  // An order that is pending has a timer of its own.
  expect(provider.time.waiting() - before).toBe(hasAddress ? 0 : 1);
});
