// Calls of Temporal that are bounded.
import { callUntil, callWithin, connectSoon, connectTemporal } from '../../src/temporal/connection';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { registerNamespace } from '../../src/temporal/namespace';
import { temporalAddress } from '../support/servers/temporal-address';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { RunnerAnswer } from '../../src/ports/payment-runner';
import { createPaymentRunner } from '../../src/temporal/payment-runner';
import { createStartQueue } from '../../src/temporal/start-queue';
import { anIntent, aTokenUse } from '../support/builders';
import { answerUpdates, type GrpcStatus } from '../support/servers/grpc-server';
import { aPartner } from '../support/payments/partner';
import { SILENT } from '../support/silent-log';
import { withDatabase } from '../support/brackets';

/** Nobody listens there, and nobody is asked. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

const silent = () => new Promise<never>(() => undefined);

it('a call that takes longer than it may is given up', async () => {
  const client = connectTemporal(NOWHERE);
  await expect(callWithin(client, silent, 20)).rejects.toThrow('given up waiting for Temporal');
  await client.connection.close();
});

it('a call is given up when its signal is aborted', async () => {
  const client = connectTemporal(NOWHERE);
  const given = new AbortController();
  const call = callUntil(client, given.signal, silent);
  given.abort();
  await expect(call).rejects.toThrow('given up waiting for Temporal');
  await client.connection.close();
});

it('connecting before the first call fails for nobody while Temporal is away', async () => {
  const client = connectTemporal(NOWHERE);
  connectSoon(client);
  await expect(client.connection.ensureConnected()).rejects.toThrow('Failed to connect');
  await client.connection.close();
});

// What a Temporal server needs before the engine runs on it, as the migrate service of docker-compose.yml brings it.
const TRIES = 30;

describe('registering a namespace', () => {
  const namespace = `made-${randomUUID()}`;
  let client: Client;

  beforeAll(async () => {
    client = connectTemporal({ address: temporalAddress(), namespace });
    await registerNamespace(client, namespace, TRIES);
  });

  afterAll(() => client.connection.close());

  it('keeps a closed run for thirty days', async () => {
    const { config } = await client.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });

  it('brings what operations search payments by', async () => {
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

  it('gives up in the end on a server that is not there', async () => {
    const away = connectTemporal({ address: '127.0.0.1:1', namespace });
    await expect(registerNamespace(away, namespace, 1)).rejects.toThrow(/UNAVAILABLE|connect/i);
    await away.connection.close();
  });
});

// What the API hears from a Temporal that is there and does not take its question.
const bed = withDatabase();

interface Confirmed {
  readonly answer: RunnerAnswer;
  /** Of each time that Temporal was asked, as gRPC writes it: `29998m` are milliseconds. */
  readonly timeouts: readonly unknown[];
  readonly warnings: readonly string[];
}

/** What the runner reports of a confirm, and what it logs. */
async function confirmedBy(status: GrpcStatus): Promise<Confirmed> {
  const server = await answerUpdates(status);
  const client = connectTemporal({ address: server.address, namespace: 'default' });
  const { clock, claims, lostCommits: rows } = bed;
  const starts = createStartQueue({ client, claims, rows, clock, log: SILENT });
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (_about: object, text: string) => void warnings.push(text) };
  const runner = createPaymentRunner({ client, starts, rows, clock, log });
  const partner = await aPartner(bed);
  const payment = toPaymentStart(await anIntent(bed, partner));
  const waiting = { waitForOutcome: true, deadline: AbortSignal.timeout(30_000) };
  const answer = await runner.confirm(payment, aTokenUse(partner), waiting);
  await starts.drain();
  await client.connection.close();
  server.close();
  return { answer, timeouts: server.timeouts, warnings };
}

const DROPPED = 'Temporal dropped a question to the run';
const UPDATE = 'Unable to perform workflow execution update due to';

it.each([
  ['an update that it dropped', DROPPED, 14, 'workflow update was aborted'],
  ['the same, by its later code', DROPPED, 10, 'workflow update was aborted'],
  ['a task that failed', DROPPED, 9, `${UPDATE} unexpected workflow task failure.`],
  ['ten updates in flight', undefined, 8, 'limit on concurrent in-flight updates'],
] as const)('told of %s it is busy; the log says: %s', async (_what, warning, code, message) => {
  const { answer, warnings } = await confirmedBy({ code, message });
  expect(answer).toBe('busy');
  expect(warnings).toEqual(warning === undefined ? [] : [warning]);
});

it.each([
  ['a run whose tasks go on failing', 9, `${UPDATE} Workflow Task in failed state.`],
  ['a server that goes away', 14, 'frontend is shutting down'],
  ['a namespace that is elsewhere', 9, 'Namespace is not active'],
  ['what it may not be asked', 7, 'Request unauthorized.'],
] as const)('told of %s it has no answer, and the log says so', async (_what, code, message) => {
  const { answer, warnings } = await confirmedBy({ code, message });
  expect(answer).toBe('no_answer');
  expect(warnings).toEqual(['Temporal gave no answer']);
});

it('asks a server that goes away three times, and each question has an end', async () => {
  const { timeouts } = await confirmedBy({ code: 14, message: 'frontend is shutting down' });
  expect(timeouts).toHaveLength(3);
  for (const timeout of timeouts) expect(timeout).toMatch(/^\d{1,5}m$/);
});
