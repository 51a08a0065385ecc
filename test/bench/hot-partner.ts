// Bench `hot-partner`: everything by one partner, against the same load spread over 32 (architecture, section 8: at least 0.8).
import { CONFIRM_VOLUME, CONFIRMED } from './confirm-captured';
import { CREATE_VOLUME, CREATED } from './create';
import type { CpuCost } from './cpu-times';
import { openPartners } from './partners';
import { atLeast, resultsOf, type Result } from './report';
import type { Bench, Stand } from './stand';
import { openSystem } from './system';
import { compareThroughput } from './throughput';

const IN_FLIGHT = 32;
const PARTNERS = 32;
const TARGET = 0.8;

export const hotPartner: Bench = {
  name: 'hot-partner',
  settings: {
    in_flight: IN_FLIGHT,
    reference: `the same load by ${PARTNERS} partners in turn`,
    ours: 'API and worker; a provider and endpoints that answer at once',
  },
  async run(stand) {
    const scene = await openScene(stand);
    const { system, hot, many } = scene;
    const rows = {
      'creates/s': { side: system.creates, answer: CREATED, volume: CREATE_VOLUME },
      'payments/s': { side: system.confirms, answer: CONFIRMED, volume: CONFIRM_VOLUME },
    };
    const results: Result[] = [];
    const cpu: CpuCost[] = [];
    for (const [unit, { side, answer, volume }] of Object.entries(rows)) {
      const sides = { reference: side(many), ours: { ours: side([hot]) } };
      const comparison = { title: `hot-partner: ${unit}`, ...sides, inFlight: IN_FLIGHT, answer };
      const rates = await compareThroughput(comparison, stand, volume);
      cpu.push(...rates.cpu);
      results.push(
        ...resultsOf(
          rates.readings,
          (name) => `hot-partner: ${name}, ${unit}`,
          (name, reading, isControlled) => atLeast(name, reading, { target: TARGET, isControlled }),
        ),
      );
    }
    await scene.close();
    return { results, counters: [], cpu };
  },
};

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
