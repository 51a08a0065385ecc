// Bench `million-intents`: the same requests on a database with 1 000 000 payments and on one with
// 10 000 (architecture, section 8: p50 of create, confirm and GET at most 1.1 times).
import { randomUUID } from 'node:crypto';
import { registerNamespace } from '../../../src/temporal/namespace';
import { connectTemporal } from '../../../src/temporal/connection';
import type { TestPartner } from '../../support/payments/partner';
import { sendBlock, type Answer, type Side } from '../figures/comparison';
import { CAPTURED } from './confirm-captured';
import { CREATED } from './create';
import { fillHistory, storedIds } from './history-fill';
import { compareLatency, type Pace } from '../load/latency';
import { inTurn } from '../load/payments';
import { noSlowerThan, type Findings, type Bench } from '../figures/report';
import { signedReadRequest } from '../load/requests';
import type { Stand } from '../stand';
import { openSystem, type System } from '../system';

const FEW = 10_000;
const MANY = 1_000_000;
const QUICK_MANY = 20_000;
/** The number of stored payments that are read in turn. */
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
    const few = await openStore('few', FEW, stand);
    const many = await openStore('many', stand.isQuick ? QUICK_MANY : MANY, stand);
    for (const store of [few, many]) await readOnce(store, stand);
    const findings: Findings[] = [];
    for (const [name, { sideOf, answer, pace }] of Object.entries(ROWS)) {
      const title = `million-intents: ${name}`;
      const comparison = {
        ...{ title, inFlight: IN_FLIGHT, answer, isEven: true },
        nameOf: (side: string) => `${title}, ${side}, p50, µs`,
        reference: sideOf(few),
        ours: sideOf(many),
      };
      const evaluate = noSlowerThan(SLOWER_AT_MOST);
      findings.push(await compareLatency(comparison, evaluate, { ...pace, bounds: BOUNDS }, stand));
    }
    return findings;
  },
};

interface Row {
  readonly sideOf: (store: Store) => Side;
  readonly answer: Answer;
  readonly pace: Pick<Pace, 'perSecond' | 'blockRequests'>;
}

const ROWS: Readonly<Record<string, Row>> = {
  create: {
    sideOf: ({ system, partner }) => system.creates([partner]),
    answer: CREATED,
    pace: PACES.create,
  },
  'create with a key': {
    sideOf: ({ system, partner }) => system.creates([partner], freshKey),
    answer: CREATED,
    pace: PACES['create with a key'],
  },
  confirm: {
    sideOf: ({ system, partner }) => system.confirms([partner]),
    answer: CAPTURED,
    pace: PACES.confirm,
  },
  get: { sideOf: readsOf, answer: CAPTURED, pace: PACES.get },
};

function freshKey() {
  return { 'Idempotency-Key': randomUUID() };
}

/** Signed reads of payments that are spread over the whole table. */
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

/** Reads every payment once before the measurement, so that no figure contains disk reads. */
async function readOnce({ system, partner, ids }: Store, stand: Stand): Promise<void> {
  const requests = ids.map((intentId) => signedReadRequest(partner, intentId));
  const { port } = system;
  await sendBlock({ port, inFlight: IN_FLIGHT, requests, answer: CAPTURED }, stand);
}

interface Store {
  readonly system: System;
  readonly partner: TestPartner;
  /** Ids of stored payments. */
  readonly ids: readonly string[];
}

async function openStore(
  name: string,
  intents: number,
  { world, printProgress }: Stand,
): Promise<Store> {
  const databaseUrl = await world.makeDatabase(name);
  const client = connectTemporal({ ...(await world.temporal()), namespace: name });
  await registerNamespace(client, name, NAMESPACE_TRIES);
  await client.connection.close();
  const system = await openSystem(world, { databaseUrl, namespace: name });
  const partner = await system.onboard(`partner-of-${name}`);
  await fillHistory({ url: databaseUrl, partnerId: partner.partnerId, intents }, printProgress);
  return { system, partner, ids: await storedIds(databaseUrl, READ) };
}
