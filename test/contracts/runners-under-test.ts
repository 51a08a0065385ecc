// Payment runners for the contract suite: over Temporal, and the simulator of the API's tests.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { PaymentRunner } from '../../src/ports/intents';
import { connectTemporal } from '../../src/temporal/connection';
import { createPaymentRunner } from '../../src/temporal/payment-runner';
import { createStartQueue } from '../../src/temporal/start-queue';
import { openLiveWorld } from '../faults/live/world';
import { createSimulatedRunner, type RunnerMode } from '../support/app';
import { openTestBed, type TestBed } from '../support/builders';
import { quietTemporal } from '../support/servers/quiet-temporal';
import { SILENT } from '../support/silent-log';
import { bundledWorkflows } from '../support/programs/workflow-bundle';

export interface RunnerUnderTest {
  readonly bed: TestBed;
  readonly runner: PaymentRunner;
  /** The same while Temporal is unreachable. */
  readonly away: PaymentRunner;
  /** The same while Temporal accepts connections and never answers. */
  readonly silent: PaymentRunner;
  close(): Promise<void>;
}

/** A closed port. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

export async function openTemporal(): Promise<RunnerUnderTest> {
  quietTemporal();
  const world = await openLiveWorld(await bundledWorkflows());
  const mute = await listenMutely();
  const away = runnerAt(world.bed, NOWHERE);
  const silent = runnerAt(world.bed, { address: mute.address, namespace: 'default' });
  return {
    bed: world.bed,
    runner: world.runner,
    away: away.runner,
    silent: silent.runner,
    async close() {
      await away.close();
      await silent.close();
      mute.close();
      await world.close();
    },
  };
}

function runnerAt(
  { clock, claims, intents, lostCommits: rows }: TestBed,
  where: Parameters<typeof connectTemporal>[0],
) {
  const client = connectTemporal(where);
  const starts = createStartQueue({ client, claims, rows, clock, log: SILENT });
  return {
    runner: createPaymentRunner({ client, starts, rows, intents, clock, log: SILENT }),
    async close() {
      await starts.drain();
      await client.connection.close();
    },
  };
}

/** Accepts every connection and never answers. */
async function listenMutely() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${String(port)}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export async function openSimulator(): Promise<RunnerUnderTest> {
  const bed = await openTestBed();
  const simulator = (mode: RunnerMode) =>
    createSimulatedRunner(bed, { mode }, { begun: [], payouts: [] });
  return {
    bed,
    runner: simulator('settle'),
    away: simulator('no_answer'),
    silent: simulator('silent'),
    close: () => bed.close(),
  };
}
