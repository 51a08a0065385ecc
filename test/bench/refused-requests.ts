// Bench `refused-requests`: how many refusals a second, against a bare Koa that answers the same 401 and does nothing else
// (architecture, section 8: at least 0.6 of it signed, 0.35 by token, and no durable write).
import { createCast, type Cast } from './cast';
import { eachMadeBy, type Side } from './comparison';
import type { CpuCost } from './cpu-times';
import { REFUSAL, signedRefusals, tokenRefusals, type Make } from './refusals';
import { atLeast, atMost, floorsOf, resultsOf, type Floor, type Result } from './report';
import type { Bench, Stand } from './stand';
import { BLOCK_MS, compareThroughput } from './throughput';

const IN_FLIGHT = 32;

/** What is compared with the bare program in one go. It is sent the first cause's requests, since bytes cost time too. */
interface Row {
  readonly title: string;
  readonly target: number;
  readonly causes: ReadonlyMap<string, Make>;
  /** Steps that nobody can leave out, added one by one (reference/floor-koa.ts). Sent the same. */
  readonly floors: readonly string[];
}

export const refusedRequests: Bench = {
  name: 'refused-requests',
  settings: {
    in_flight: IN_FLIGHT,
    block_ms: BLOCK_MS,
    reference: 'bare Koa, in its own process',
    floors: 'bare Koa and the steps that are named, each in its own process',
  },
  async run(stand) {
    const { world } = stand;
    const cast = await createCast(world);
    const writtenBefore = await world.countRowsWritten();
    const ports = { api: await world.startApi(), bare: await world.startReference('bare-koa.ts') };
    const found: RowFound[] = [];
    for (const row of rowsOf(cast)) found.push(await measureRow(row, ports, stand));
    const written = (await world.countRowsWritten()) - writtenBefore;
    cast.close();
    return {
      results: found.flatMap(({ results }) => results),
      floors: found.flatMap(({ floors }) => floors),
      counters: [atMost('refused-requests: rows written by refused requests', written, 0)],
      cpu: found.flatMap(({ cpu }) => cpu),
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
      floors: ['body', 'body+hmac', 'body+hmac+log'],
    },
    {
      title: 'refused-requests: session token',
      target: 0.35,
      causes: pick(tokens, 'signature_wrong', 'expired'),
      floors: ['rs256', 'rs256+log'],
    },
  ];
}

interface Ports {
  readonly api: number;
  readonly bare: number;
}

interface RowFound {
  readonly results: readonly Result[];
  readonly floors: readonly Floor[];
  readonly cpu: readonly CpuCost[];
}

async function measureRow(row: Row, ports: Ports, stand: Stand): Promise<RowFound> {
  const { title, target, causes } = row;
  const [make] = causes.values();
  if (make === undefined) throw new Error(`${title}: no cause of that name`);
  const prepare = eachMadeBy(make);
  const ours = new Map(
    [...causes].map(([cause, maker]) => [cause, { port: ports.api, prepare: eachMadeBy(maker) }]),
  );
  const floors = new Map<string, Side>();
  for (const steps of row.floors) {
    const port = await stand.world.startReference('floor-koa.ts', { STEPS: steps });
    floors.set(`bare Koa+${steps}`, { port, prepare });
  }
  const { readings, cpu } = await compareThroughput(
    {
      title,
      reference: { port: ports.bare, prepare },
      ours: Object.fromEntries([...ours, ...floors]),
      inFlight: IN_FLIGHT,
      answer: REFUSAL,
    },
    stand,
  );
  const nameOf = (side: string) => `${title}, ${side}, requests/s`;
  const judged = { ...readings, bySide: without(readings.bySide, floors) };
  const results = resultsOf(judged, nameOf, (name, reading, isControlled) =>
    atLeast(name, reading, { target, isControlled }),
  );
  return { results, floors: floorsOf(readings, [...floors.keys()], nameOf), cpu };
}

function without<Value>(
  all: ReadonlyMap<string, Value>,
  these: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, Value> {
  return new Map([...all].filter(([side]) => !these.has(side)));
}
