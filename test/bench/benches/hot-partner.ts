// Bench `hot-partner`: all load by one partner that has both limits, against the same load spread
// over 32 partners that have none (architecture, section 8: at least 0.8).
import { setLimits, type TestPartner } from '../../support/payments/partner';
import type { Answer, Side } from '../figures/comparison';
import { CONFIRM_VOLUME, CONFIRMED } from './confirm-captured';
import { CREATE_VOLUME, CREATED } from './create';
import { atLeast, type Findings, type Bench } from '../figures/report';
import type { Stand } from '../stand';
import { openSystem, type System } from '../system';
import { compareThroughput, type Volume } from '../load/throughput';

const IN_FLIGHT = 32;
const PARTNERS = 32;
const TARGET = 0.8;
/** More than the load reaches. */
const LIMITS = { intentsPerSecond: 100_000, usdCentsPerDay: 1_000_000_000_000 };
/** Smaller blocks, because both sides leave workflows in the memory of the Temporal server. */
const HOT_CREATE_VOLUME = { ...CREATE_VOLUME, blockRequestsMax: 450, warmUpMs: 750 };

const SETTINGS = {
  in_flight: IN_FLIGHT,
  reference: `the same load by ${PARTNERS} partners in turn`,
  limits: 'both, for the one partner; none for the 32',
  ours: 'API and worker; a provider and endpoints that answer at once',
};

/** Each bench has its own Temporal server, because the memory of a server fills with workflows. */
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
  const run = async (stand: Stand) => [await compare(row, stand)];
  return { name: 'hot-partner', settings: SETTINGS, run };
}

async function compare({ unit, sideOf, answer, volume }: Row, stand: Stand): Promise<Findings> {
  const system = await openSystem(stand.world);
  const side = sideOf(system);
  const hot = await system.onboard('hot-partner');
  await setLimits(stand.world, hot, LIMITS);
  const many: TestPartner[] = [];
  for (let number = 1; number <= PARTNERS; number += 1) {
    many.push(await system.onboard(`partner-${number}`));
  }
  const comparison = {
    ...{ title: `hot-partner: ${unit}`, inFlight: IN_FLIGHT, answer },
    nameOf: (name: string) => `hot-partner: ${name}, ${unit}`,
    reference: side(many),
    ours: side([hot]),
  };
  return compareThroughput(comparison, atLeast(TARGET), stand, volume);
}
