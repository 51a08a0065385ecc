// Every connection to a payout provider ends by a reset, so the kernel drops bytes that the
// provider has not acknowledged (architecture, section 6).
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { Outbound } from '../../src/http/outbound';
import { createProviderOutbound } from '../../src/http/provider-outbound';
import { recogniseErrorsOfNode } from '../support/builders';
import { certificateAndKey, CERT_FILE } from '../support/http/certificate';
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { RUN_TYPESCRIPT } from '../../src/dev/tools';
import { until } from '../../src/dev/until';
import type { PayoutOrder, PayoutOutcome } from '../../src/ports/payout-provider';
import { startCutProxy, type CutProxy } from '../faults/cut-proxy';
import { startPayingProvider, type PayingProvider } from '../support/payments/paying-provider';
import type { CallerMessage } from '../providers/http/payout-caller';
import { withServers } from '../support/servers/counted-servers';
import { IN_CENTS } from '../support/payments/accounts';

recogniseErrorsOfNode();

const servers = withServers();
let outbound: Outbound;
beforeEach(() => {
  outbound = createProviderOutbound();
});
afterEach(() => outbound.close());

const send = (url: string, timeoutMs = 20_000) =>
  outbound.send({ method: 'POST', url, body: '{}', timeoutMs, maxBytes: 100 });

/**
 * A server that calls `onRequest` for a request. `ended` resolves with how the connection ended.
 */
async function serverThat(onRequest: (socket: Socket) => unknown) {
  let reportEnd: (how: string) => void;
  const ended = new Promise<string>((resolve) => {
    reportEnd = resolve;
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', () => onRequest(socket));
    socket.once('end', () => reportEnd('closed'));
    socket.once('error', (error: NodeJS.ErrnoException) => reportEnd(error.code ?? ''));
  });
  const { port } = await servers.start(server);
  return { port, url: `http://127.0.0.1:${port}/`, ended };
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

it.each<[string, (socket: Socket) => unknown]>([
  ['never comes', () => undefined],
  ['stops in its middle', (socket) => socket.write(`${HEAD}content-length: 9\r\n\r\n{"a`)],
  ['is too long', (socket) => socket.write(`${HEAD}\r\n${'x'.repeat(200)}`)],
  ['is not HTTP', (socket) => socket.write('SSH-2.0\r\n\r\n')],
  ['has too large headers', (socket) => socket.write(`${HEAD}a: ${'x'.repeat(20_000)}\r\n`)],
  [
    'asks for the end',
    (socket) => socket.write(`${HEAD}connection: close\r\ncontent-length: 2\r\n\r\n{}`),
  ],
  ['ends with the connection', (socket) => socket.end(`${HEAD}\r\n{}`)],
  ['switches protocols', (socket) => socket.write('HTTP/1.1 101 X\r\nupgrade: other\r\n\r\n')],
  ['is cut by the other side', (socket) => socket.end(`${HEAD}content-length: 9\r\n\r\n{"a`)],
  ['is the end of the connection', (socket) => socket.end()],
])('resets the connection when the answer %s', async (_what, onRequest) => {
  const { url, ended } = await serverThat(onRequest);
  await send(url, 300).catch(() => undefined);
  expect(await ended).toBe('ECONNRESET');
});

it('resets an open connection when the client is closed', async () => {
  const { url, ended } = await serverThat((socket) =>
    socket.write(`${HEAD}content-length: 2\r\n\r\n{}`),
  );
  expect((await send(url)).body.toString()).toBe('{}');
  await outbound.close();
  expect(await ended).toBe('ECONNRESET');
});

it('uses no open connection that the other side has closed', async () => {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    // Answers one request, and none of a second one on the same connection.
    socket.once('data', () => socket.write(`${HEAD}content-length: 2\r\n\r\n{}`));
  });
  const { port } = await servers.start(server);
  const other = await servers.http((_, response) => response.end());
  await send(`http://127.0.0.1:${port}/`);
  await new Promise<void>((resolve) => sockets[0]?.end(resolve));
  // While it waits for another answer, the client reads the end of the first connection.
  await send(`http://127.0.0.1:${other.port}/`);
  expect((await send(`http://127.0.0.1:${port}/`)).body.toString()).toBe('{}');
  expect(sockets).toHaveLength(2);
});

it('resets a connection during the TLS handshake', async () => {
  // The handshake bytes trigger `onRequest`.
  const { port, ended } = await serverThat(() => undefined);
  await expect(send(`https://127.0.0.1:${port}/`, 300)).rejects.toThrow('timeout after 0.3 s');
  expect(await ended).toBe('ECONNRESET');
});

it('sends nothing to a server with a self-signed certificate', async () => {
  const received: Buffer[] = [];
  const server = createSecureServer(certificateAndKey(), (socket) => {
    socket.on('data', (chunk: Buffer) => received.push(chunk));
  });
  const failed = once(server, 'tlsClientError');
  const { port } = await servers.start(server);
  await expect(send(`https://127.0.0.1:${port}/`)).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
  await failed.catch(() => undefined);
  expect(received).toEqual([]);
});

it('connects to a name by whichever of its addresses is served', async () => {
  const { port } = await servers.http((_, response) => response.end('here'));
  expect((await send(`http://localhost:${port}/`)).body.toString()).toBe('here');
});

it('reports why a connection was not made', async () => {
  const { port, server } = await servers.silent();
  server.close();
  await expect(send(`http://127.0.0.1:${port}/`)).rejects.toThrow('connection refused');
});

// An order that timed out must never arrive later (architecture, section 6). Operators may resolve
// a payout as declined 6 s after it was last sent. **Danger: double payment** if a kernel still
// retransmits it then.
describe('an order that timed out', () => {
  const TOKEN = 'a credential of the provider';
  const ORDER: PayoutOrder = {
    ...{ key: 'pi_1:payout', amountUsdCents: 1_250 },
    ...{ ...IN_CENTS, corridor: 'vn_qrpay', qrPayload: null },
  };
  const TIMED_OUT = { outcome: 'unknown', cause: 'timeout after 5 s' };

  interface Setup {
    readonly provider: PayingProvider;
    /** The network between the worker and the provider. */
    readonly network: CutProxy;
    readonly worker: ChildProcess;
    call(call: CallerMessage['call'], sentWithinMs?: number): Promise<PayoutOutcome>;
  }

  const started: Setup[] = [];
  afterEach(async () => {
    for (const { provider, network, worker } of started.splice(0)) {
      worker.kill('SIGKILL');
      provider.close();
      await network.close();
    }
  });

  async function startSetup(scheme: 'http' | 'https'): Promise<Setup> {
    const provider = await startPayingProvider(TOKEN, scheme);
    const network = await startCutProxy(provider.url);
    const worker = fork(join(__dirname, '../providers/http/payout-caller.ts'), {
      execArgv: RUN_TYPESCRIPT,
      env: { PATH: '/usr/bin:/bin', NODE_EXTRA_CA_CERTS: CERT_FILE },
    });
    const baseUrl = network.url.replace(/\/$/, '');
    const setup: Setup = {
      ...{ provider, network, worker },
      async call(call, sentWithinMs = 10_000) {
        worker.send({ call, baseUrl, token: TOKEN, order: ORDER, sentWithinMs });
        const [outcome] = (await once(worker, 'message')) as [PayoutOutcome];
        return outcome;
      },
    };
    started.push(setup);
    return setup;
  }

  /**
   * Sends an order while the network is cut, then queries it when the network is back, by http and
   * https.
   */
  async function afterPartition(before: (setup: Setup) => Promise<unknown>) {
    const outcomes = (['http', 'https'] as const).map(async (scheme) => {
      const setup = await startSetup(scheme);
      await before(setup);
      setup.network.stall();
      const order = await setup.call('pay');
      setup.network.mend();
      return { order, query: await setup.call('find'), paid: setup.provider.paid() };
    });
    return Promise.all(outcomes);
  }

  const NEVER_ARRIVED = { order: TIMED_OUT, query: { outcome: 'not_found' }, paid: [] };

  it('does not arrive later if it was not acknowledged before its timeout', async () => {
    // The order uses the connection that this query leaves open.
    const outcomes = await afterPartition(({ call }) => call('find'));
    expect(outcomes).toEqual([NEVER_ARRIVED, NEVER_ARRIVED]);
  });

  it('does not arrive later on its own connection either', async () => {
    const outcomes = await afterPartition(() => Promise.resolve());
    expect(outcomes).toEqual([NEVER_ARRIVED, NEVER_ARRIVED]);
  });

  it('is not sent by a worker that was frozen while connecting and wakes too late', async () => {
    const { provider, network, worker, call } = await startSetup('https');
    network.stall();
    const sentWithinMs = 500;
    const outcome = call('pay', sentWithinMs);
    await until(() => network.heldBytes() > 0, { timeoutMs: 20_000 });
    worker.kill('SIGSTOP');
    const frozenAtMs = performance.now();
    // The handshake answer waits in the kernel of the frozen process.
    network.mend();
    await until(() => performance.now() > frozenAtMs + sentWithinMs, { timeoutMs: 20_000 });
    worker.kill('SIGCONT');
    const cause = 'not sent: connecting was too slow, or the worker paused';
    expect(await outcome).toEqual({ outcome: 'unknown', cause });
    expect(provider.paid()).toEqual([]);
  });
});
