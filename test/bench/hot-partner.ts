// Bench `hot-partner`: everything by one partner, against the same load spread over 32 (architecture, section 8: at least 0.8).
import type { TestPartner } from '../support/partner';
import type { Answer, Side } from './comparison';
import { CONFIRM_VOLUME, CONFIRMED } from './confirm-captured';
import { CREATE_VOLUME, CREATED } from './create';
import { openPartners } from './partners';
import { atLeast, resultsOf, type Findings } from './report';
import type { Bench, Stand } from './stand';
import { openSystem, type System } from './system';
import { compareThroughput, type Volume } from './throughput';

const IN_FLIGHT = 32;
const PARTNERS = 32;
const TARGET = 0.8;
/** Every side leaves runs, so that there may be fewer of each. */
const HOT_CREATE_VOLUME = { ...CREATE_VOLUME, blockRequestsMax: 450, warmUpMs: 750 };

const SETTINGS = {
  in_flight: IN_FLIGHT,
  reference: `the same load by ${PARTNERS} partners in turn`,
  ours: 'API and worker; a provider and endpoints that answer at once',
};

/** Each with a Temporal server of its own: its memory fills with runs. */
export const hotPartner: readonly Bench[] = [
  aBench({
    unit: 'creates/s',
    sideOf: (system) => system.creates,
    answer: CREATED,
    volume: HOT_CREATE_VOLUME,
  }),
  aBench({
    unit: 'payments/s',
    sideOf: (system) => system.confirms,
    answer: CONFIRMED,
    volume: CONFIRM_VOLUME,
  }),
];

interface Row {
  readonly unit: string;
  readonly sideOf: (system: System) => (by: readonly TestPartner[]) => Side;
  readonly answer: Answer;
  readonly volume: Partial<Volume>;
}

function aBench(row: Row): Bench {
  return { name: 'hot-partner', settings: SETTINGS, run: (stand) => compare(row, stand) };
}

async function compare({ unit, sideOf, answer, volume }: Row, stand: Stand): Promise<Findings> {
  const scene = await openScene(stand);
  const side = sideOf(scene.system);
  const sides = { reference: side(scene.many), ours: { ours: side([scene.hot]) } };
  const comparison = { title: `hot-partner: ${unit}`, ...sides, inFlight: IN_FLIGHT, answer };
  const { readings, cpu } = await compareThroughput(comparison, stand, volume);
  await scene.close();
  const results = resultsOf(
    readings,
    (name) => `hot-partner: ${name}, ${unit}`,
    (name, reading, isControlled) => atLeast(name, reading, { target: TARGET, isControlled }),
  );
  return { results, counters: [], cpu };
}

async function openScene({ world }: Stand) {
  const endpoints = `http://127.0.0.1:${await world.startReference('instant-endpoints.ts')}`;
  const partners = await openPartners(world);
  const temporal = await world.startTemporal();
  const system = await openSystem({ world, partners, temporal, endpoints });
  const hot = await system.onboard('hot-partner');
  const many = [];
  for (let number = 1; number <= PARTNERS; number += 1) {
    many.push(await system.onboard(`partner-${number}`));
  }
  return {
    system,
    hot,
    many,
    async close() {
      partners.close();
      await system.close();
    },
  };
}
