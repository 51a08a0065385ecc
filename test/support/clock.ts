// A fixed clock that tests set, and the same time for the clock of the database.
import type { Clock } from '../../src/ports/clock';
import type { Queryable } from '../../src/postgres/database';

/** A whole second, so that limits in seconds are exact. */
export const NOON = new Date('2026-03-02T12:00:00.000Z');

interface TestClock extends Clock {
  turnTo(instant: Date): void;
}

export function createTestClock(start: Date = NOON): TestClock {
  let now = start;
  return {
    now: () => now,
    turnTo: (instant) => {
      now = instant;
    },
  };
}

/** A stopwatch that always measures zero, for use with a fixed clock. */
export const FROZEN_STOPWATCH = () => () => 0;

export function secondsAfter(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1_000);
}

/** Sets `service_now()` in the test's database: the clock that decides deadlines. */
export async function setDatabaseClock(database: Queryable, instant: Date): Promise<void> {
  await database.query({
    text: `create or replace function service_now() returns timestamptz
             language sql volatile return '${instant.toISOString()}'::timestamptz`,
  });
}

/** Sets `service_now()` and lets it run on from there. */
export async function runDatabaseClock(database: Queryable, instant: Date): Promise<void> {
  await database.query({
    text: `create or replace function service_now() returns timestamptz language sql volatile
           return '${instant.toISOString()}'::timestamptz
                  + (clock_timestamp() - '${new Date().toISOString()}'::timestamptz)`,
  });
}

/** Makes `service_now()` read the single row of `test_clock`, which the test sets (decision 15). */
export async function followClock(database: Queryable): Promise<void> {
  await database.query({
    text: `create table test_clock as select now() as at;
           create or replace function service_now() returns timestamptz language sql volatile
           as 'select at from test_clock'`,
  });
}
