// Bench `million-intents`: the same requests over a database with 1 000 000 payments behind it and over one with 10 000
// (architecture, section 8: p50 of create, confirm and GET at most 1.1 times). The stored ids are in no order, as ids that
// are derived from idempotency keys are.
import { randomUUID } from 'node:crypto';
import { registerNamespace } from '../../src/temporal/namespace';
import { connectTemporal } from '../../src/temporal/connection';
import type { TestPartner } from '../support/partner';
import { sendBlock, type Answer, type Comparison, type Side } from './comparison';
import { CAPTURED } from './confirm-captured';
import { CREATED } from './create';
import type { TemporalTarget } from './environments';
import { fillHistory, storedIds } from './history-fill';
import { compareLatency, type Pace } from './latency';
import { openPartners, type Partners } from './partners';
import { noSlowerThan, resultsOf, type Percentiles, type Result } from './report';
import { signedReadRequest } from './requests';
import type { Bench, Stand } from './stand';
import { inTurn, openSystem, type System } from './system';

const FEW = 10_000;
const MANY = 1_000_000;
const QUICK_MANY = 20_000;
/** Read in turn. */
const READ = 5_000;
const SLOWER_AT_MOST = 1.1;
const IN_FLIGHT = 32;
const NAMESPACE_TRIES = 60;
const BOUNDS = { roundsMin: 15, roundsMax: 60, timeoutMs: 420_000 };
const PACES = {
  create: { perSecond: 50, blockRequests: 100 },
  'create with a key': { perSecond: 50, blockRequests: 100 },
  confirm: { perSecond: 8, blockRequests: 12 },
  get: { perSecond: 100, blockRequests: 100 },
};

export const millionIntents: Bench = {
  name: 'million-intents',
  settings: {
    stored: { reference: FEW, ours: MANY },
    per_second: Object.fromEntries(
      Object.entries(PACES).map(([name, { perSecond }]) => [name, perSecond]),
    ),
    ours: 'API and worker of their own over each database, each in its own Temporal namespace',
  },
  async run(stand) {
    const scene = await openScene(stand);
    for (const store of [scene.few, scene.many]) await readOnce(store, stand);
    const results: Result[] = [];
    const percentiles: Percentiles[] = [];
    for (const [name, { few, many, answer, pace }] of Object.entries(rowsOf(scene))) {
      const sides = { reference: few, ours: { ours: many } };
      const comparison = {
        title: `million-intents: ${name}`,
        ...sides,
        inFlight: IN_FLIGHT,
        answer,
        isEven: true,
      };
      const measured = await measure(
        comparison,
        { ...pace, warmUpRounds: 2, bounds: BOUNDS },
        stand,
      );
      results.push(...measured.results);
      percentiles.push(...measured.percentiles);
    }
    await scene.close();
    return { results, counters: [], percentiles };
  },
};

async function measure(comparison: Comparison, pace: Pace, stand: Stand) {
  const { readings, percentiles } = await compareLatency(comparison, pace, stand);
  const results = resultsOf(
    readings,
    (side) => `${comparison.title}, ${side}, p50, µs`,
    (name, reading, isControlled) =>
      noSlowerThan(name, reading, { factor: SLOWER_AT_MOST, isControlled }),
  );
  return { results, percentiles };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

interface Row {
  readonly few: Side;
  readonly many: Side;
  readonly answer: Answer;
  readonly pace: Pick<Pace, 'perSecond' | 'blockRequests'>;
}

function rowsOf({ few, many }: Scene): Readonly<Record<string, Row>> {
  const both = (sideOf: (store: Store) => Side) => ({ few: sideOf(few), many: sideOf(many) });
  return {
    create: {
      ...both(({ system, partner }) => system.creates([partner])),
      answer: CREATED,
      pace: PACES.create,
    },
    'create with a key': {
      ...both(({ system, partner }) => system.creates([partner], freshKey)),
      answer: CREATED,
      pace: PACES['create with a key'],
    },
    confirm: {
      ...both(({ system, partner }) => system.confirms([partner])),
      answer: CAPTURED,
      pace: PACES.confirm,
    },
    get: { ...both(readsOf), answer: CAPTURED, pace: PACES.get },
  };
}

const freshKey = () => ({ 'Idempotency-Key': randomUUID() });

/** Signed, of payments from all over the table. */
function readsOf({ system, partner, ids }: Store): Side {
  let next = 0;
  return {
    port: system.port,
    prepare(count) {
      next += count;
      const read = inTurn([...ids.slice(next % ids.length), ...ids], count);
      return Promise.resolve(read.map((intentId) => signedReadRequest(partner, intentId)));
    },
  };
}

/** All that is read later: what a page costs that is in no buffer yet is the disk's affair. */
async function readOnce({ system, partner, ids }: Store, stand: Stand): Promise<void> {
  const requests = ids.map((intentId) => signedReadRequest(partner, intentId));
  const { port } = system;
  await sendBlock({ port, inFlight: IN_FLIGHT, requests, answer: CAPTURED }, stand);
}

interface Store {
  readonly system: System;
  readonly partner: TestPartner;
  /** Of stored payments. */
  readonly ids: readonly string[];
}

async function openScene(stand: Stand) {
  const { world, isQuick } = stand;
  const endpoints = `http://127.0.0.1:${await world.startReference('instant-endpoints.ts')}`;
  const partners = await openPartners(world);
  const temporal = await world.startTemporal();
  const ground = { partners, temporal, endpoints };
  const few = await openStore({ ...ground, name: 'few', intents: FEW }, stand);
  const intents = isQuick ? QUICK_MANY : MANY;
  const many = await openStore({ ...ground, name: 'many', intents }, stand);
  return {
    few,
    many,
    async close() {
      partners.close();
      await few.system.close();
      await many.system.close();
    },
  };
}

interface StoreWish {
  readonly partners: Partners;
  readonly temporal: TemporalTarget;
  readonly endpoints: string;
  readonly name: string;
  readonly intents: number;
}

async function openStore(wish: StoreWish, { world, tell }: Stand): Promise<Store> {
  const { partners, endpoints, name, intents } = wish;
  const url = await world.makeDatabase(name);
  const temporal = { ...wish.temporal, namespace: name };
  const client = connectTemporal(temporal);
  await registerNamespace(client, name, NAMESPACE_TRIES);
  await client.connection.close();
  const system = await openSystem({ world, partners, temporal, endpoints, databaseUrl: url });
  const partner = await system.onboard(`partner-of-${name}`);
  await fillHistory({ url, partnerId: partner.partnerId, intents }, tell);
  return { system, partner, ids: await storedIds(url, READ) };
}
