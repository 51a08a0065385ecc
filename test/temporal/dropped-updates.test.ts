// What the API hears from a Temporal that is there and does not take its question. The server speaks gRPC and says what
// Temporal says then, which no real one can be made to say at a given moment.
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { toPaymentStart } from '../../src/domain/payment-start';
import type { RunnerAnswer } from '../../src/ports/payment-runner';
import { connectTemporal } from '../../src/temporal/connection';
import { createPaymentRunner } from '../../src/temporal/payment-runner';
import { createStartQueue } from '../../src/temporal/start-queue';
import { anIntent, aTokenUse, openTestBed, type TestBed } from '../support/builders';
import { aPartner } from '../support/partner';
import { SILENT } from '../support/silent-log';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(async () => {
  await bed.close();
});

interface GrpcStatus {
  readonly code: number;
  readonly message: string;
}

const UNIMPLEMENTED: GrpcStatus = { code: 12, message: 'not here' };

/** Answers every update of a run with one status, and counts them. */
async function answering(status: GrpcStatus) {
  let updates = 0;
  const server = createServer();
  server.on('stream', (stream, { ':path': path }) => {
    const isUpdate = path?.endsWith('/UpdateWorkflowExecution') === true;
    if (isUpdate) updates += 1;
    const { code, message } = isUpdate ? status : UNIMPLEMENTED;
    const headers = {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(code),
      'grpc-message': encodeURIComponent(message),
    };
    stream.respond(headers, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${String(port)}`,
    updates: () => updates,
    close: () => server.close(),
  };
}

/** What the runner reports of a confirm, and how often Temporal was asked for it. */
async function confirmedBy(status: GrpcStatus): Promise<readonly [RunnerAnswer, number]> {
  const server = await answering(status);
  const client = connectTemporal({ address: server.address, namespace: 'default' });
  const { clock, sweep } = bed;
  const starts = createStartQueue({ client, sweep, clock, log: SILENT });
  const runner = createPaymentRunner({ client, starts, clock, log: SILENT });
  const partner = await aPartner(bed);
  const payment = toPaymentStart(await anIntent(bed, partner));
  const waiting = { waitForOutcome: true, deadline: AbortSignal.timeout(30_000) };
  const answer = await runner.confirm(payment, aTokenUse(partner), waiting);
  await starts.drain();
  await client.connection.close();
  server.close();
  return [answer, server.updates()];
}

it.each([
  ['an update that it dropped', 'busy', 3, { code: 14, message: 'workflow update was aborted' }],
  [
    'a task that failed',
    'busy',
    1,
    { code: 9, message: 'Unable to perform workflow execution update' },
  ],
  [
    'ten updates in flight',
    'busy',
    3,
    { code: 8, message: 'limit on concurrent in-flight updates' },
  ],
  ['a server that goes away', 'no_answer', 3, { code: 14, message: 'frontend is shutting down' }],
  [
    'a namespace that is elsewhere',
    'no_answer',
    1,
    { code: 9, message: 'Namespace is not active' },
  ],
  ['what it may not be asked', 'no_answer', 1, { code: 7, message: 'Request unauthorized.' }],
] as const)('told of %s: %s, after %d tries', async (_what, answer, tries, status) => {
  await expect(confirmedBy(status)).resolves.toEqual([answer, tries]);
});
