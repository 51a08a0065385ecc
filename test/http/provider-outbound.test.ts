// A connection to a payout provider ends by a reset, whatever ends it: then the kernel drops what the provider has not
// acknowledged (architecture, section 6).
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { createOutbound, type Outbound } from '../../src/http/outbound';
import { createProviderOutbound } from '../../src/http/provider-outbound';
import { createResettingConnect } from '../../src/http/resetting-connect';
import { recogniseErrorsOfNode } from '../support/builders';
import { certificateAndKey, CERT_FILE } from '../support/http/certificate';
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../../src/dev/until';
import type { PayoutOrder, PayoutOutcome } from '../../src/ports/payouts/provider';
import { startCutProxy, type CutProxy } from '../faults/cut-proxy';
import { startPayingProvider, type PayingProvider } from '../support/payments/paying-provider';
import type { CallerMessage } from './payout-caller';
import { withServers } from '../support/servers/counted-servers';

recogniseErrorsOfNode();

const servers = withServers();
let outbound: Outbound;
beforeEach(() => {
  outbound = createProviderOutbound();
});
afterEach(() => outbound.close());

const send = (url: string, timeoutMs = 20_000) =>
  outbound.send({ method: 'POST', url, body: '{}', timeoutMs, maxBytes: 100 });

/** A server that does this with a connection once a request has come, and how the connection ended for it. */
async function serverThat(onRequest: (socket: Socket) => unknown) {
  let tellEnd: (how: string) => void;
  const ended = new Promise<string>((resolve) => {
    tellEnd = resolve;
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', () => onRequest(socket));
    socket.once('end', () => tellEnd('closed'));
    socket.once('error', (error: NodeJS.ErrnoException) => tellEnd(error.code ?? ''));
  });
  const { port } = await servers.start(server);
  return { port, url: `http://127.0.0.1:${port}/`, ended };
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

it.each<[string, (socket: Socket) => unknown]>([
  ['never comes', () => undefined],
  ['stops in its middle', (socket) => socket.write(`${HEAD}content-length: 9\r\n\r\n{"a`)],
  ['is longer than is read', (socket) => socket.write(`${HEAD}\r\n${'x'.repeat(200)}`)],
  ['is not HTTP', (socket) => socket.write('SSH-2.0\r\n\r\n')],
  ['has too large headers', (socket) => socket.write(`${HEAD}a: ${'x'.repeat(20_000)}\r\n`)],
  ['switches protocols', (socket) => socket.write('HTTP/1.1 101 X\r\nupgrade: other\r\n\r\n')],
  ['is cut by the other side', (socket) => socket.end(`${HEAD}content-length: 9\r\n\r\n{"a`)],
  ['is the end of the connection', (socket) => socket.end()],
])('resets the connection when the answer %s', async (_what, onRequest) => {
  const { url, ended } = await serverThat(onRequest);
  await send(url, 300).catch(() => undefined);
  expect(await ended).toBe('ECONNRESET');
});

it('resets a connection that is open when the client is closed', async () => {
  const { url, ended } = await serverThat((socket) =>
    socket.write(`${HEAD}content-length: 2\r\n\r\n{}`),
  );
  expect((await send(url)).body.toString()).toBe('{}');
  await outbound.close();
  expect(await ended).toBe('ECONNRESET');
});

it('resets a connection in the middle of the handshake of TLS', async () => {
  // The first bytes are the handshake's.
  const { port, ended } = await serverThat(() => undefined);
  outbound = createOutbound({ connect: createResettingConnect(300) });
  await expect(send(`https://127.0.0.1:${port}/`)).rejects.toThrow('no connection in time');
  expect(await ended).toBe('ECONNRESET');
});

it('sends nothing to a server whose certificate no authority has signed', async () => {
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

it('finds a name, by whichever of its addresses is served', async () => {
  const { port } = await servers.http((_, response) => response.end('here'));
  expect((await send(`http://localhost:${port}/`)).body.toString()).toBe('here');
});

it('tells why a connection was not made', async () => {
  const { port, server } = await servers.silent();
  server.close();
  await expect(send(`http://127.0.0.1:${port}/`)).rejects.toThrow('connection refused');
});

// An order that was given up never arrives later (architecture, section 6): operations declare a payout declined 6 s after its
// last sending, and what a kernel still retransmits then would be paid all the same.
describe('an order that was given up', () => {
  const TOKEN = 'a credential of the provider';
  const ORDER: PayoutOrder = {
    ...{ key: 'pi_1:payout', amountUsdCents: 1_250 },
    ...{ corridor: 'vn_qrpay', qrPayload: null },
  };
  const TIMED_OUT = { outcome: 'unknown', cause: 'timeout after 5 s' };

  interface Scene {
    readonly provider: PayingProvider;
    /** Between the worker and the provider. */
    readonly network: CutProxy;
    readonly worker: ChildProcess;
    call(call: CallerMessage['call'], sentWithinMs?: number): Promise<PayoutOutcome>;
  }

  const opened: Scene[] = [];
  afterEach(async () => {
    for (const { provider, network, worker } of opened.splice(0)) {
      worker.kill('SIGKILL');
      provider.close();
      await network.close();
    }
  });

  async function openScene(scheme: 'http' | 'https'): Promise<Scene> {
    const provider = await startPayingProvider(TOKEN, scheme);
    const network = await startCutProxy(provider.url);
    const worker = fork(join(__dirname, 'payout-caller.ts'), {
      execArgv: ['--require', 'tsx/cjs'],
      env: { PATH: '/usr/bin:/bin', NODE_EXTRA_CA_CERTS: CERT_FILE },
    });
    const baseUrl = network.url.replace(/\/$/, '');
    const scene: Scene = {
      ...{ provider, network, worker },
      async call(call, sentWithinMs = 10_000) {
        worker.send({ call, baseUrl, token: TOKEN, order: ORDER, sentWithinMs });
        const [outcome] = (await once(worker, 'message')) as [PayoutOutcome];
        return outcome;
      },
    };
    opened.push(scene);
    return scene;
  }

  /** What becomes of an order whose sending times out while the network is cut, and of a question when it is back, by scheme. */
  async function afterPartition(play: (scene: Scene) => Promise<unknown>) {
    const outcomes = (['http', 'https'] as const).map(async (scheme) => {
      const scene = await openScene(scheme);
      await play(scene);
      scene.network.stall();
      const order = await scene.call('pay');
      scene.network.mend();
      return { order, question: await scene.call('find'), paid: scene.provider.paid() };
    });
    return Promise.all(outcomes);
  }

  const NEVER_ARRIVED = { order: TIMED_OUT, question: { outcome: 'not_found' }, paid: [] };

  it('an order that was not acknowledged before its timeout does not arrive when the network is back', async () => {
    // It takes the connection that this question leaves open.
    const outcomes = await afterPartition(({ call }) => call('find'));
    expect(outcomes).toEqual([NEVER_ARRIVED, NEVER_ARRIVED]);
  });

  it('an order on a connection of its own does not arrive either', async () => {
    const outcomes = await afterPartition(() => Promise.resolve());
    expect(outcomes).toEqual([NEVER_ARRIVED, NEVER_ARRIVED]);
  });

  it('a worker that was frozen while its connection was made sends nothing when it wakes up too late', async () => {
    const { provider, network, worker, call } = await openScene('https');
    network.stall();
    const sentWithinMs = 500;
    const outcome = call('pay', sentWithinMs);
    await until(() => network.heldBytes() > 0, { timeoutMs: 20_000 });
    worker.kill('SIGSTOP');
    const frozenAtMs = performance.now();
    // The handshake is answered, and waits in the kernel of the frozen process.
    network.mend();
    await until(() => performance.now() > frozenAtMs + sentWithinMs, { timeoutMs: 20_000 });
    worker.kill('SIGCONT');
    const cause = 'the worker was held up until it was too late to send';
    expect(await outcome).toEqual({ outcome: 'unknown', cause });
    expect(provider.paid()).toEqual([]);
  });
});
