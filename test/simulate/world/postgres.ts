// The real Postgres, one statement at a time: each takes a moment of virtual time, may fail before or after it has committed, and
// Postgres may be away for a while.
import { DomainError } from '../../../src/domain/errors';
import type { Database, Queryable } from '../../../src/postgres/database';
import type { Choices } from '../choices';
import type { Fibers } from './fibers';

/** What happens to a process at a point of its work: it may die there, and then this never comes back. */
export type Fate = (point: string) => Promise<void>;

export interface SimulatedPostgres {
  /** As a process sees it that can die at each statement. */
  of(fate: Fate): Database;
  /** Without faults, for what looks at a life from outside. */
  readonly real: Database;
}

interface Hooks {
  readonly setClock: (nowMs: number) => void;
  /** Given the name of each statement that has committed. */
  readonly onDone: (name: string) => void;
}

const AWAY_MS = { 'Postgres is away for 3 s': 3_000, 'Postgres is away for 2 min': 120_000 };
const OUTCOMES = [
  '',
  'it fails before its commit',
  'it commits and its answer is lost',
  'Postgres is away for 3 s',
  'Postgres is away for 2 min',
] as const;
/** What a statement takes where nothing is wrong. */
const STATEMENT_MS = 1;
/** When a process gives up to wait for an answer. */
const SILENCE_MS = 1_900;

export function createSimulatedPostgres(
  real: Database,
  fibers: Fibers,
  choices: Choices,
  { setClock, onDone }: Hooks,
): SimulatedPostgres {
  let awayUntilMs = 0;
  const step = async <Result>(
    name: string,
    fate: Fate,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    await fibers.sleep(STATEMENT_MS);
    await fate(`${name} begins`);
    if (fibers.nowMs < awayUntilMs) return giveUp(fibers);
    const outcome = choices.fault(`statement ${name}`, OUTCOMES);
    if (outcome !== '' && outcome !== 'it commits and its answer is lost') {
      if (outcome !== 'it fails before its commit') awayUntilMs = fibers.nowMs + AWAY_MS[outcome];
      return giveUp(fibers);
    }
    setClock(fibers.nowMs);
    const result = await work();
    onDone(name);
    if (outcome !== '') return giveUp(fibers);
    await fate(`${name} ends`);
    return result;
  };
  return {
    real,
    of: (fate) => ({
      query: (statement) => step(statement.name ?? 'unnamed', fate, () => real.query(statement)),
      inTransaction: (work) =>
        step('transaction', fate, () =>
          real.inTransaction((connection: Queryable) => work(connection)),
        ),
      close: () => Promise.resolve(),
    }),
  };
}

async function giveUp(fibers: Fibers): Promise<never> {
  await fibers.sleep(SILENCE_MS);
  throw new DomainError('unavailable', { reason: 'postgres_unavailable' });
}
