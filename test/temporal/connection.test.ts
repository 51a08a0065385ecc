// Calls to Temporal have a time limit.
import { callUntil, callWithin, connectTemporal } from '../../src/temporal/connection';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { until } from '../../src/dev/until';
import { registerNamespace } from '../../src/temporal/namespace';
import { temporalAddress } from '../support/servers/temporal-address';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { RunnerAnswer } from '../../src/ports/intents';
import { createPaymentRunner } from '../../src/temporal/payment-runner';
import { createStartQueue } from '../../src/temporal/start-queue';
import { anIntent, aTokenUse } from '../support/builders';
import { answerUpdates, type GrpcStatus } from '../support/servers/grpc-server';
import { aPartner } from '../support/payments/partner';
import { SILENT } from '../support/silent-log';
import { withDatabase } from '../support/brackets';

/** No server listens at this address. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

const silent = () => new Promise<never>(() => undefined);

it('a call is abandoned after its time limit', async () => {
  const client = connectTemporal(NOWHERE);
  await expect(callWithin(client, silent, 20)).rejects.toThrow('stopped waiting for Temporal');
  await client.connection.close();
});

it('a call is abandoned when its signal is aborted', async () => {
  const client = connectTemporal(NOWHERE);
  const given = new AbortController();
  const call = callUntil(client, given.signal, silent);
  given.abort();
  await expect(call).rejects.toThrow('stopped waiting for Temporal');
  await client.connection.close();
});

// Registers what the engine needs on a Temporal server, as the migrate service of
// docker-compose.yml does.
const TRIES = 30;

describe('registering a namespace', () => {
  const namespace = `made-${randomUUID()}`;
  let client: Client;

  beforeAll(async () => {
    client = connectTemporal({ address: temporalAddress(), namespace });
    await registerNamespace(client, namespace, TRIES);
  });

  afterAll(() => client.connection.close());

  it('keeps a closed workflow for thirty days', async () => {
    const { config } = await client.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });

  it('registers the search attributes of payments', async () => {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
      namespace,
    });
    expect(Object.keys(customAttributes)).toEqual(
      expect.arrayContaining(['PartnerId', 'Corridor', 'PaymentStatus', 'NeedsAttention']),
    );
  });

  it('may be repeated', async () => {
    await expect(registerNamespace(client, namespace, TRIES)).resolves.toBeUndefined();
  });

  it('fails after its tries when there is no server', async () => {
    const away = connectTemporal({ address: '127.0.0.1:1', namespace });
    await expect(registerNamespace(away, namespace, 1)).rejects.toThrow(/UNAVAILABLE|connect/i);
    await away.connection.close();
  });
});

// Temporal is up and does not process an update: the result for the API, and the log.
const bed = withDatabase();

interface Confirmed {
  readonly answer: RunnerAnswer;
  /** The gRPC timeout of each call, in gRPC's format: `29998m` means milliseconds. */
  readonly timeouts: readonly unknown[];
  readonly warnings: readonly string[];
}

/** The runner's result of a confirm, and its log. */
async function confirmedBy(status: GrpcStatus): Promise<Confirmed> {
  const server = await answerUpdates(status);
  const client = connectTemporal({ address: server.address, namespace: 'default' });
  const { clock, claims, intents, lostCommits: rows } = bed;
  const starts = createStartQueue({ client, claims, rows, clock, log: SILENT });
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (_about: object, text: string) => void warnings.push(text) };
  const runner = createPaymentRunner({ client, starts, rows, intents, clock, log });
  const partner = await aPartner(bed);
  const payment = toPaymentStart(await anIntent(bed, partner));
  const waiting = { waitForOutcome: true, deadline: AbortSignal.timeout(30_000) };
  const answer = await runner.confirm(payment, aTokenUse(partner), waiting);
  await starts.drain();
  await client.connection.close();
  server.close();
  return { answer, timeouts: server.timeouts, warnings };
}

it.each([
  ['ten updates in flight', 8, 'limit on concurrent in-flight updates'],
  ['a dropped update', 10, 'workflow update was aborted'],
] as const)('the runner answers busy for %s, without a warning', async (_what, code, message) => {
  const { answer, warnings } = await confirmedBy({ code, message });
  expect({ answer, warnings }).toEqual({ answer: 'busy', warnings: [] });
});

it.each([
  ['a workflow whose tasks fail', 9, 'Workflow Task in failed state.'],
  ['a server that shuts down', 14, 'frontend is shutting down'],
  ['a namespace that is active elsewhere', 9, 'Namespace is not active'],
  ['a call without permission', 7, 'Request unauthorized.'],
] as const)('the runner answers no_answer for %s, and logs it', async (_what, code, message) => {
  const { answer, warnings } = await confirmedBy({ code, message });
  expect(answer).toBe('no_answer');
  expect(warnings).toEqual(['Temporal gave no answer']);
});

it('a call whose connection is closed between its attempts is rejected', async () => {
  const server = await answerUpdates({ code: 14, message: 'frontend is shutting down' });
  const client = connectTemporal({ address: server.address, namespace: 'default' });
  const { connection } = client;
  const update = connection.workflowService.updateWorkflowExecution({ namespace: 'default' });
  const isTried = () => Promise.resolve(server.timeouts.length > 0);
  await until(isTried, { timeoutMs: 10_000 });
  await connection.close();
  await expect(update).rejects.toThrow('Channel has been shut down');
  server.close();
});

it('the runner calls a server that shuts down three times, each time with a timeout', async () => {
  const { timeouts } = await confirmedBy({ code: 14, message: 'frontend is shutting down' });
  expect(timeouts).toHaveLength(3);
  for (const timeout of timeouts) expect(timeout).toMatch(/^\d{1,5}m$/);
});
