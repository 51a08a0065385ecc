// Bench `refused-requests`: how many refusals a second, against a bare Koa that answers the same 401 and does nothing else
// (architecture, section 8: at least 0.6 of it signed, 0.35 by token, and no durable write).
import { createCast, type Cast } from './cast';
import { eachMadeBy } from './comparison';
import type { CpuCost } from './cpu-times';
import { REFUSAL, signedRefusals, tokenRefusals, type Make } from './refusals';
import { atLeast, atMost, resultsOf, type Result } from './report';
import type { Bench, Stand } from './stand';
import { BLOCK_MS, compareThroughput } from './throughput';

const IN_FLIGHT = 32;

/** What is compared with the bare program in one go. It is sent the first cause's requests, since bytes cost time too. */
interface Row {
  readonly title: string;
  readonly target: number;
  readonly causes: ReadonlyMap<string, Make>;
}

export const refusedRequests: Bench = {
  name: 'refused-requests',
  settings: { in_flight: IN_FLIGHT, block_ms: BLOCK_MS, reference: 'bare Koa, in its own process' },
  async run(stand) {
    const { world } = stand;
    const cast = await createCast(world);
    const writtenBefore = await world.countRowsWritten();
    const ports = { api: await world.startApi(), bare: await world.startReference('bare-koa.ts') };
    const results: Result[] = [];
    const cpu: CpuCost[] = [];
    for (const row of rowsOf(cast)) {
      const found = await measureRow(row, ports, stand);
      results.push(...found.results);
      cpu.push(...found.cpu);
    }
    const written = (await world.countRowsWritten()) - writtenBefore;
    cast.close();
    return {
      results,
      counters: [atMost('refused-requests: rows written by refused requests', written, 0)],
      cpu,
    };
  },
};

function rowsOf(cast: Cast): readonly Row[] {
  const signed = signedRefusals(cast);
  const tokens = tokenRefusals(cast);
  const pick = (makers: ReadonlyMap<string, Make>, ...causes: readonly string[]) =>
    new Map([...makers].filter(([cause]) => causes.includes(cause)));
  return [
    {
      title: 'refused-requests: signed request',
      target: 0.6,
      causes: pick(signed, 'signature_wrong'),
    },
    {
      title: 'refused-requests: session token',
      target: 0.35,
      causes: pick(tokens, 'signature_wrong', 'expired'),
    },
  ];
}

interface Ports {
  readonly api: number;
  readonly bare: number;
}

interface RowFound {
  readonly results: readonly Result[];
  readonly cpu: readonly CpuCost[];
}

async function measureRow(row: Row, ports: Ports, stand: Stand): Promise<RowFound> {
  const { title, target, causes } = row;
  const [make] = causes.values();
  if (make === undefined) throw new Error(`${title}: no cause of that name`);
  const ours = Object.fromEntries(
    [...causes].map(([cause, maker]) => [cause, { port: ports.api, prepare: eachMadeBy(maker) }]),
  );
  const { readings, cpu } = await compareThroughput(
    {
      title,
      reference: { port: ports.bare, prepare: eachMadeBy(make) },
      ours,
      inFlight: IN_FLIGHT,
      answer: REFUSAL,
    },
    stand,
  );
  const results = resultsOf(
    readings,
    (side) => `${title}, ${side}, requests/s`,
    (name, reading, isControlled) => atLeast(name, reading, { target, isControlled }),
  );
  return { results, cpu };
}
