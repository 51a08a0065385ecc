// Bench `refusal-timing`: whether the time of a 401 tells why (SECURITY.md: "Every refusal of a credential has the same …
// amount of work, whatever its cause"). Here and not among the tests, since a test may not depend on a clock.
import { createCast } from './cast';
import { sendBlock } from './comparison';
import { REFUSAL, signedRefusals, tokenRefusals, type Make } from './refusals';
import { atMost, controlResult, sameAs, type Result } from './report';
import {
  CONTROL,
  CONTROL_HALF_WIDTH_MAX,
  isControlled,
  measureInRounds,
  progressOf,
  REFERENCE,
  type Readings,
  type Round,
} from './rounds';
import { shuffled } from './random';
import { median } from './statistics';
import type { Bench, Stand } from './stand';

/** The cause that all others are compared with: everything is right but the signature. */
const REFERENCE_CAUSE = 'signature_wrong';
/** As close to 1 as the control itself has to be: what no figure of ours resolves (docs/benchmarks.md, `refusal-timing`). */
const MARGIN = CONTROL_HALF_WIDTH_MAX;
/** One request at a time shows the most; several at once show what callers who share a read learn from each other. */
const IN_FLIGHT = [1, 8] as const;
const REQUESTS_PER_CAUSE_AND_ROUND = 100;
const WARM_UP_ROUNDS = 10;
const BOUNDS = { roundsMin: 30, roundsMax: 200, timeoutMs: 180_000 };
const QUICK_BOUNDS = { roundsMin: 2, roundsMax: 2, timeoutMs: 10_000 };

interface Line {
  readonly title: string;
  readonly inFlight: number;
  /** By side: the reference cause, the same again as the control, and every other cause. */
  readonly makers: ReadonlyMap<string, Make>;
}

export const refusalTiming: Bench = {
  name: 'refusal-timing',
  settings: {
    in_flight: IN_FLIGHT,
    reference: `cause ${REFERENCE_CAUSE}`,
    margin: MARGIN,
    requests_per_cause_and_round: REQUESTS_PER_CAUSE_AND_ROUND,
    kid_unknown: 'with the bucket of refetches drained by the warm-up',
  },
  async run(stand) {
    const { world } = stand;
    const cast = await createCast(world);
    const writtenBefore = await world.countRowsWritten();
    const port = await world.startApi();
    const kinds = { 'signed request': signedRefusals(cast), 'session token': tokenRefusals(cast) };
    const results: Result[] = [];
    for (const [title, causes] of Object.entries(kinds)) {
      for (const inFlight of IN_FLIGHT) {
        const line = { title, inFlight, makers: toSides(causes) };
        results.push(...(await measureLine(line, port, stand)));
      }
    }
    const written = (await world.countRowsWritten()) - writtenBefore;
    cast.close();
    return {
      results,
      counters: [atMost('refusal-timing: rows written by refused requests', written, 0)],
    };
  },
};

function toSides(causes: ReadonlyMap<string, Make>): ReadonlyMap<string, Make> {
  const reference = causes.get(REFERENCE_CAUSE);
  if (reference === undefined) throw new Error(`no cause ${REFERENCE_CAUSE}`);
  const others = [...causes].filter(([cause]) => cause !== REFERENCE_CAUSE);
  return new Map([[REFERENCE, reference], [CONTROL, reference], ...others]);
}

async function measureLine(line: Line, port: number, stand: Stand): Promise<readonly Result[]> {
  const measure = () => measureRound(line, port, stand);
  for (let round = 0; round < (stand.isQuick ? 1 : WARM_UP_ROUNDS); round += 1) await measure();
  const readings = await measureInRounds({
    measureRound: measure,
    watched: [...line.makers.keys()].filter((side) => side !== REFERENCE),
    bounds: stand.isQuick ? QUICK_BOUNDS : BOUNDS,
    random: stand.random,
    tell: (soFar) => {
      stand.tell(`${line.title}, ${String(line.inFlight)} in flight: ${progressOf(soFar)}`);
    },
  });
  return resultsOf(line, readings);
}

/** Every cause equally often in one random order, so that none is measured at a better time than another. */
async function measureRound(line: Line, port: number, stand: Stand): Promise<Round> {
  const { inFlight, makers } = line;
  const order = shuffled(
    [...makers.keys()].flatMap((side) => Array<string>(REQUESTS_PER_CAUSE_AND_ROUND).fill(side)),
    stand.random,
  );
  const requests = order.flatMap((side) => makers.get(side)?.() ?? []);
  const result = await sendBlock({ port, inFlight, requests, answer: REFUSAL }, stand);
  return new Map(
    [...makers.keys()].map((side) => [
      side,
      median(result.latenciesUs.filter((_, index) => order[index] === side)),
    ]),
  );
}

function resultsOf({ title, inFlight }: Line, { bySide }: Readings): readonly Result[] {
  const judged = { margin: MARGIN, isControlled: isControlled(bySide) };
  return [...bySide].map(([side, reading]) => {
    const name = `refusal-timing: ${title}, ${side}, ${String(inFlight)} in flight, µs`;
    return side === CONTROL
      ? controlResult(name, reading, judged.isControlled)
      : sameAs(name, reading, judged);
  });
}
