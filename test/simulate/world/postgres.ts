// The real Postgres, one statement at a time. Each statement takes a moment of virtual time, and
// may fail before or after its commit. Postgres may be away, may be restored from its backup, and
// its clock may jump.
import { DomainError } from '../../../src/domain/errors';
import type { Database } from '../../../src/postgres/database';
import type { Choices } from '../run/choices';
import { CLEAN_FAILOVER, FAILOVER, PUT_BACK, type Backup } from './backup';
import type { Fibers } from './fibers';

/**
 * Decides what happens to a process at a point. If the process dies, the promise never resolves.
 */
export type Fate = (point: string) => Promise<void>;

export interface SimulatedPostgres {
  /** The database for a process that can die at each statement. */
  of(fate: Fate): Database;
  /**
   * The database without faults, for the harness. Its clock shows the time of the last statement.
   */
  readonly real: Database;
  /** Sets its clock to the current time, for a statement without faults. */
  setClock(): void;
  /**
   * The simulated time at which a process committed what Postgres' clock stamped with this time. Of
   * two commits with the same stamp, the earlier.
   */
  committedAtMs(stampMs: number): number;
}

interface Hooks {
  readonly setClock: (nowMs: number) => void;
  /** Called with the name of each committed statement. */
  readonly onDone: (name: string) => Promise<void>;
  readonly onPlanned: (what: string) => void;
  readonly backup: Pick<Backup, 'isFresh' | 'whenDue' | 'putBack' | 'failOver'>;
}

export const CLOCK_AHEAD = 'its clock jumps to 1.5 s ahead';
const OUTCOMES = [
  '',
  'it fails before its commit',
  'it commits and its answer is lost',
  'Postgres is away for 3 s',
  'Postgres is away for 2 min',
  CLOCK_AHEAD,
  'its clock jumps to 1.5 s behind',
] as const;
const RESTORES = [CLEAN_FAILOVER, FAILOVER, PUT_BACK] as const;
const AWAY_MS: Readonly<Record<string, number>> = {
  'it fails before its commit': 0,
  'Postgres is away for 3 s': 3_000,
  'Postgres is away for 2 min': 120_000,
  [CLEAN_FAILOVER]: 3_000,
  [FAILOVER]: 3_000,
  [PUT_BACK]: 60_000,
};
const CLOCK_MS: Readonly<Record<string, number>> = {
  [CLOCK_AHEAD]: 1_500,
  'its clock jumps to 1.5 s behind': -1_500,
};
/** The duration of a normal statement. */
const STATEMENT_MS = 1;
/** The timeout of a process without an answer. */
const SILENCE_MS = 1_900;

export function createSimulatedPostgres(
  real: Database,
  fibers: Fibers,
  choices: Choices,
  { setClock, onDone, onPlanned, backup }: Hooks,
): SimulatedPostgres {
  let awayUntilMs = 0;
  const clock = new PostgresClock(setClock, fibers);
  backup.whenDue(async (what) => {
    onPlanned(what);
    await backup.putBack(what === FAILOVER);
    awayUntilMs = fibers.nowMs + (AWAY_MS[what] ?? 0);
  });
  const step = async <Result>(
    name: string,
    fate: Fate,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    await fibers.sleep(STATEMENT_MS);
    await fate(`${name} begins`);
    if (fibers.nowMs < awayUntilMs) return giveUp(fibers);
    const options = backup.isFresh() ? [...OUTCOMES, ...RESTORES] : OUTCOMES;
    const outcome = choices.fault<(typeof options)[number]>(`statement ${name}`, options);
    if (outcome === CLEAN_FAILOVER) await backup.failOver();
    else if (isRestore(outcome)) await backup.putBack(outcome === FAILOVER);
    const awayMs = AWAY_MS[outcome];
    if (awayMs !== undefined) {
      awayUntilMs = fibers.nowMs + awayMs;
      return giveUp(fibers);
    }
    clock.beginStatement(CLOCK_MS[outcome]);
    const result = await work();
    await onDone(name);
    if (outcome === 'it commits and its answer is lost') return giveUp(fibers);
    await fate(`${name} ends`);
    return result;
  };
  return {
    real,
    setClock: () => {
      clock.set();
    },
    committedAtMs: (stampMs) => clock.committedAtMs(stampMs),
    of: (fate) => ({
      query: (statement) => step(statement.name ?? 'unnamed', fate, () => real.query(statement)),
      inTransaction: (work) => step('transaction', fate, () => real.inTransaction(work)),
      close: () => Promise.resolve(),
    }),
  };
}

/** The clock of Postgres, which may be ahead of the simulation's or behind it. */
class PostgresClock {
  private aheadMs = 0;
  /** The simulated time of each statement, by its stamp. */
  private readonly stamped = new Map<number, number>();
  private readonly setServer: (nowMs: number) => void;
  private readonly fibers: Fibers;

  constructor(setServer: (nowMs: number) => void, fibers: Fibers) {
    this.setServer = setServer;
    this.fibers = fibers;
  }

  set(): void {
    this.setServer(this.fibers.nowMs + this.aheadMs);
  }

  beginStatement(aheadMs = this.aheadMs): void {
    this.aheadMs = aheadMs;
    this.set();
    const stampMs = Math.trunc(this.fibers.nowMs + aheadMs);
    if (!this.stamped.has(stampMs)) this.stamped.set(stampMs, this.fibers.nowMs);
  }

  committedAtMs(stampMs: number): number {
    const atMs = this.stamped.get(stampMs);
    if (atMs === undefined) throw new Error(`nothing was committed at ${String(stampMs)}`);
    return atMs;
  }
}

export function isRestore(outcome: string): boolean {
  return (RESTORES as readonly string[]).includes(outcome);
}

async function giveUp(fibers: Fibers): Promise<never> {
  await fibers.sleep(SILENCE_MS);
  throw new DomainError('unavailable', { reason: 'postgres_unavailable' });
}
