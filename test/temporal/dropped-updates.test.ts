// What the API hears from a Temporal that is there and does not take its question.
import { toPaymentStart } from '../../src/domain/payment-start';
import type { RunnerAnswer } from '../../src/ports/payment-runner';
import { connectTemporal } from '../../src/temporal/connection';
import { createPaymentRunner } from '../../src/temporal/payment-runner';
import { createStartQueue } from '../../src/temporal/start-queue';
import { anIntent, aTokenUse, openTestBed, type TestBed } from '../support/builders';
import { answerUpdates, type GrpcStatus } from '../support/grpc-server';
import { aPartner } from '../support/partner';
import { SILENT } from '../support/silent-log';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(async () => {
  await bed.close();
});

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
  const { clock, sweep, lostCommits: rows } = bed;
  const starts = createStartQueue({ client, sweep, rows, clock, log: SILENT });
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
