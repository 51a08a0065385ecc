// Bench `counters`: what a request costs Postgres and a captured payment costs Temporal, counted and not timed (architecture,
// section 8). Over the real processes what test/api/statements.test.ts and test/replay hold in every `npm test`.
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { connectTemporal } from '../../src/temporal/connection';
import { countBillableActions } from '../support/billable-actions';
import { openCommitCounter } from '../support/commit-counter';
import { startCountingProxy } from '../support/counting-proxy';
import type { TestPartner } from '../support/partner';
import { sendBlock, type Answer } from './comparison';
import { CAPTURED } from './confirm-captured';
import { CREATED } from './create';
import { openPayments } from './payments';
import { atMost, type Counter, type Bench } from './report';
import { createRequest, tokenReadRequest } from './requests';
import type { Stand } from './stand';
import { openSystem } from './system';

/** At most: statements, round trips, commits. */
type Limits = readonly [number, number, number];

interface Cost {
  readonly title: string;
  readonly request: () => Uint8Array;
  readonly answer: Answer;
  readonly limits: Limits;
}

const EVENTS_MAX = 16;
const ACTIONS_MAX = 5;
const FOUND: Answer = { status: '200', holding: '"status":"created"' };

export const counters: Bench = {
  name: 'counters',
  settings: {
    statements: 'Execute and Query messages on the wire; commits are those in the write-ahead log',
    history: 'of one payment with its webhook',
  },
  run: async (stand) => [
    { counters: await countStatements(stand) },
    { counters: await countHistory(stand) },
  ],
};

/** Without Temporal: a start that is noted later would be counted with whatever is under way then. */
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

/** The first of each reads what is remembered from then on. */
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
  await sendBlock({ port, inFlight: 1, requests: await prepare(1), answer: CAPTURED }, stand);
  await finish?.();
  const { rows } = await system.payments.database.query<{ readonly intent_id: string }>({
    text: `select intent_id from payment_intents where status = 'captured'`,
  });
  const client = connectTemporal(await world.temporal());
  const run = client.workflow.getHandle(rows[0]?.intent_id ?? '');
  await run.result();
  const history = historyToJSON(await run.fetchHistory());
  await client.connection.close();
  const { events } = JSON.parse(history) as { readonly events: readonly { eventType: string }[] };
  const types = events.map(({ eventType }) => eventType);
  return [
    atMost('captured payment: history events', types.length, EVENTS_MAX),
    atMost('captured payment: billable actions', countBillableActions(types), ACTIONS_MAX),
  ];
}
