// An order that was given up never arrives later (architecture, section 6): operations declare a payout declined 16 s after its
// last sending, and what a kernel still retransmits then would be paid all the same.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '../../src/dev/until';
import type { PayoutOrder, PayoutOutcome } from '../../src/ports/payout-provider';
import { startCutProxy, type CutProxy } from '../faults/cut-proxy';
import { CERT_FILE } from '../support/certificate';
import { startPayingProvider, type PayingProvider } from '../support/paying-provider';
import type { CallerMessage } from './payout-caller';

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
