// Bench `counters`: counts what a request costs Postgres and what a captured payment costs Temporal
// (architecture, section 8). It measures the real processes; `npm test` holds the same limits in
// test/api/intents/statements.test.ts and test/replay.
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { WEBHOOK_FAST_ANSWERS_MIN } from '../../../src/domain/limits';
import { readOne } from '../../../src/postgres/database';
import { connectTemporal } from '../../../src/temporal/connection';
import { countBillableActions } from '../../support/payments/billable-actions';
import { openCommitCounter } from '../../support/cost/commit-counter';
import { startCountingProxy } from '../../support/cost/counting-proxy';
import type { TestPartner } from '../../support/payments/partner';
import { sendBlock, type Answer } from '../figures/comparison';
import { CAPTURED } from './confirm-captured';
import { CREATED } from './create';
import { openPayments } from '../load/payments';
import { atMost, type Counter, type Bench } from '../figures/report';
import { createRequest, tokenReadRequest } from '../load/requests';
import type { Stand } from '../stand';
import { openSystem, type System } from '../system';

/** Upper limits for statements, round trips and commits. */
type Limits = readonly [number, number, number];

interface Cost {
  readonly title: string;
  readonly request: () => Uint8Array;
  readonly answer: Answer;
  readonly limits: Limits;
}

const EVENTS_MAX = 16;
const ACTIONS_MAX = 5;
const [FAST_EVENTS_MAX, FAST_ACTIONS_MAX] = [11, 4];
const FOUND: Answer = { status: '200', contains: '"status":"created"' };

export const counters: Bench = {
  name: 'counters',
  settings: {
    statements: 'Execute and Query messages on the wire; commits are those in the write-ahead log',
    history: 'of one payment with its webhook, and of one whose endpoint has been fast ten times',
  },
  run: async (stand) => [
    { counters: await countStatements(stand) },
    { counters: await countHistory(stand) },
  ],
};

/**
 * Runs without Temporal: marking a workflow as started would add a statement to a later request.
 */
async function countStatements(stand: Stand): Promise<readonly Counter[]> {
  const { world } = stand;
  const proxy = await startCountingProxy(world.databaseUrl);
  const commits = await openCommitCounter(world.databaseUrl);
  const port = await world.startApi({ databaseUrl: proxy.url });
  const partner = await world.onboard({ name: 'siam-travel' });
  const found: Counter[] = [];
  for (const { title, request, answer, limits } of await costsOf(partner, stand)) {
    const requests = [request()];
    const send = () => sendBlock({ port, inFlight: 1, requests, answer }, stand);
    let wire = { statements: 0, roundTrips: 0 };
    const committed = await commits.countDuring(async () => {
      wire = await proxy.countDuring(send);
    });
    const [statements, roundTrips, commitsMax] = limits;
    found.push(
      atMost(`${title}: statements`, wire.statements, statements),
      atMost(`${title}: round trips`, wire.roundTrips, roundTrips),
      atMost(`${title}: commits`, committed, commitsMax),
    );
  }
  await commits.close();
  await proxy.close();
  return found.filter(({ name }) => !name.startsWith(WARM_UP));
}

/** The first request of each kind fills caches, so it is not counted. */
const WARM_UP = 'warm-up';
const ANY: Limits = [Infinity, Infinity, Infinity];

async function costsOf(partner: TestPartner, { world }: Stand): Promise<readonly Cost[]> {
  const payments = await openPayments(world, world.databaseUrl);
  const [begun] = await payments.begin([partner], 1);
  if (begun === undefined) throw new Error('no payment to read');
  const token = tokenReadRequest(partner, begun.intent);
  const create = () => createRequest(partner);
  const keyed = () => createRequest(partner, { 'Idempotency-Key': 'order-4711' });
  const once: Limits = [1, 1, 1];
  const reading: Limits = [1, 1, 0];
  return [
    { title: WARM_UP, request: create, answer: CREATED, limits: ANY },
    {
      title: WARM_UP,
      request: () => tokenReadRequest(partner, begun.intent),
      answer: FOUND,
      limits: ANY,
    },
    { title: 'create', request: create, answer: CREATED, limits: once },
    { title: 'create with a key', request: keyed, answer: CREATED, limits: once },
    { title: 'replay', request: keyed, answer: CREATED, limits: once },
    { title: 'GET by token, first read', request: () => token, answer: FOUND, limits: reading },
    { title: 'GET by token, read again', request: () => token, answer: FOUND, limits: reading },
  ];
}

async function countHistory(stand: Stand): Promise<readonly Counter[]> {
  const { world } = stand;
  const system = await openSystem(world);
  const { port, prepare, finish } = system.confirms([await system.onboard('laos-travel')]);
  const client = connectTemporal(await world.temporal());
  const capture = async (count: number) => {
    const requests = await prepare(count);
    await sendBlock({ port, inFlight: 1, requests, answer: CAPTURED }, stand);
    await finish?.();
    return typesOf(client, await lastCaptured(system));
  };
  const first = await capture(1);
  const fast = await capture(WEBHOOK_FAST_ANSWERS_MIN);
  await client.connection.close();
  return [
    atMost('captured payment: history events', first.length, EVENTS_MAX),
    atMost('captured payment: billable actions', countBillableActions(first), ACTIONS_MAX),
    atMost('of a fast endpoint: history events', fast.length, FAST_EVENTS_MAX),
    atMost('of a fast endpoint: billable actions', countBillableActions(fast), FAST_ACTIONS_MAX),
  ];
}

async function lastCaptured({ payments }: System): Promise<string> {
  const { intent_id } = await readOne<{ readonly intent_id: string }>(payments.database, {
    text: `select intent_id from payment_intents where status = 'captured' order by captured_at desc limit 1`,
  });
  return intent_id;
}

async function typesOf(client: Client, workflowId: string): Promise<readonly string[]> {
  const run = client.workflow.getHandle(workflowId);
  await run.result();
  const history = historyToJSON(await run.fetchHistory());
  const { events } = JSON.parse(history) as { readonly events: readonly { eventType: string }[] };
  return events.map(({ eventType }) => eventType);
}
