// Bench `rejection-timing`: checks that the time of a 401 does not reveal its cause (SECURITY.md,
// "What holds"). It is no test, because a test must not depend on a clock.
import { until } from '../../../src/dev/until';
import type { Database } from '../../../src/postgres/database';
import { createIntentStore } from '../../../src/postgres/intents/store';
import { aCreateCommand, anEventId, ENVIRONMENT } from '../../support/builders';
import { sendBlock } from '../figures/comparison';
import { shuffled } from '../load/random';
import {
  REJECTION,
  signedRejections,
  tokenRejections,
  type Actors,
  type Make,
} from '../load/rejections';
import { atMost, resultsOf, sameAs, type Findings, type Bench } from '../figures/report';
import {
  CONTROL,
  CONTROL_HALF_WIDTH_MAX,
  measureInRounds,
  REFERENCE,
  type Round,
} from '../figures/rounds';
import { median } from '../figures/statistics';
import type { Stand } from '../stand';
import type { World } from '../world';

/** The cause that all others are compared with: only the signature is wrong. */
const REFERENCE_CAUSE = 'signature_wrong';
/**
 * The allowed distance of a ratio from 1. It equals that of the control, since no figure resolves
 * less (docs/benchmarks.md, `rejection-timing`).
 */
const MARGIN = CONTROL_HALF_WIDTH_MAX;
/**
 * One request at a time shows differences best. Several requests show what batched reads reveal to
 * each other's callers.
 */
const IN_FLIGHT = [1, 8] as const;
const REQUESTS_PER_CAUSE_AND_ROUND = 100;
const WARM_UP_ROUNDS = 10;
const BOUNDS = { roundsMin: 30, roundsMax: 200, timeoutMs: 180_000 };

interface Line {
  readonly title: string;
  readonly inFlight: number;
  /**
   * Request makers by side: the reference cause, the same cause as control, and every other cause.
   */
  readonly makers: ReadonlyMap<string, Make>;
}

export const rejectionTiming: Bench = {
  name: 'rejection-timing',
  settings: {
    in_flight: IN_FLIGHT,
    reference: `cause ${REFERENCE_CAUSE}`,
    margin: MARGIN,
    requests_per_cause_and_round: REQUESTS_PER_CAUSE_AND_ROUND,
    kid_unknown: 'with the bucket of refetches drained by the warm-up',
  },
  async run(stand) {
    const { world } = stand;
    const actors = await createActors(world);
    const writtenBefore = await countRowsWritten(world.database);
    const port = await world.startApi();
    const kinds = {
      'signed request': signedRejections(actors),
      'session token': tokenRejections(actors),
    };
    const findings: Findings[] = [];
    for (const [title, { [REFERENCE_CAUSE]: reference, ...others }] of Object.entries(kinds)) {
      const sides = { [REFERENCE]: reference, [CONTROL]: reference, ...others };
      for (const inFlight of IN_FLIGHT) {
        const line = { title, inFlight, makers: new Map(Object.entries(sides)) };
        findings.push(await measureLine(line, port, stand));
      }
    }
    const written = (await countRowsWritten(world.database)) - writtenBefore;
    const counters = [atMost('rejection-timing: rows written by rejected requests', written, 0)];
    return [...findings, { counters }];
  },
};

async function createActors(world: World): Promise<Actors> {
  const { database, onboard } = world;
  const partner = await onboard({ name: 'siam-travel' });
  const elsewhere = await onboard({ name: 'laos-travel', allow: ['192.0.2.0/24'] });
  const withdrawn = await onboard({ name: 'java-travel' });
  await database.query({
    text: `update signing_keys set revoked_at = service_now() where key_id = $1`,
    values: [withdrawn.key_id],
  });
  const intents = createIntentStore({ database, environment: ENVIRONMENT, makeEventId: anEventId });
  const created = await intents.create(aCreateCommand(partner, { timeToLiveSeconds: 86_400 }));
  if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
  return { partner, elsewhere, withdrawn, intent: created.intent };
}

/**
 * Ends all other Postgres sessions first, because a backend may report its row counts only when it
 * exits.
 */
async function countRowsWritten(database: Database): Promise<number> {
  const isAlone = async () => {
    const { rows } = await database.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
              where backend_type = 'client backend' and datname = current_database() and pid <> pg_backend_pid()`,
    });
    return rows.length === 0;
  };
  if (!(await until(isAlone, { timeoutMs: 10_000 }))) throw new Error('a connection does not end');
  await database.query({ text: 'select pg_stat_force_next_flush()' });
  const { rows } = await database.query<{ readonly written: number }>({
    text: `select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as written from pg_stat_user_tables`,
  });
  return rows[0]?.written ?? Number.NaN;
}

async function measureLine(line: Line, port: number, stand: Stand): Promise<Findings> {
  const { title, inFlight, makers } = line;
  const measure = () => measureRound(line, port, stand);
  for (let round = 0; round < (stand.isQuick ? 1 : WARM_UP_ROUNDS); round += 1) await measure();
  const readings = await measureInRounds(
    {
      title: `${title}, ${String(inFlight)} in flight`,
      measureRound: measure,
      watched: [...makers.keys()].filter((side) => side !== REFERENCE),
      bounds: BOUNDS,
    },
    stand,
  );
  const nameOf = (side: string) =>
    `rejection-timing: ${title}, ${side}, ${String(inFlight)} in flight, µs`;
  return { results: resultsOf(readings, nameOf, sameAs(MARGIN)) };
}

/**
 * Sends every cause equally often in one random order, so that a busy moment affects all causes
 * alike.
 */
async function measureRound(line: Line, port: number, stand: Stand): Promise<Round> {
  const { inFlight, makers } = line;
  const order = shuffled(
    [...makers.keys()].flatMap((side) => Array<string>(REQUESTS_PER_CAUSE_AND_ROUND).fill(side)),
    stand.random,
  );
  const requests = order.flatMap((side) => makers.get(side)?.() ?? []);
  const result = await sendBlock({ port, inFlight, requests, answer: REJECTION }, stand);
  return new Map(
    [...makers.keys()].map((side) => [
      side,
      median(result.latenciesUs.filter((_, index) => order[index] === side)),
    ]),
  );
}
