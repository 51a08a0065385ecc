// A clock that stands until it is turned, and the same instant for the database's own clock.
import type { Clock } from '../../src/ports/clock';
import type { Queryable } from '../../src/postgres/database';

/** A whole second, so that bounds stated in seconds are met exactly. */
export const NOON = new Date('2026-03-02T12:00:00.000Z');

export interface TestClock extends Clock {
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

/** For what goes by a clock that stands. */
export const STANDING_STOPWATCH = () => () => 0;

export function secondsAfter(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1_000);
}

/** Sets what `service_now()` says in this test's database: the clock that decides deadlines. */
export async function setDatabaseClock(database: Queryable, instant: Date): Promise<void> {
  await database.query({
    text: `create or replace function service_now() returns timestamptz
             language sql volatile return '${instant.toISOString()}'::timestamptz`,
  });
}

/** The same, and it runs on from there. */
export async function runDatabaseClock(database: Queryable, instant: Date): Promise<void> {
  await database.query({
    text: `create or replace function service_now() returns timestamptz language sql volatile
           return '${instant.toISOString()}'::timestamptz
                  + (clock_timestamp() - '${new Date().toISOString()}'::timestamptz)`,
  });
}

/** From then on `service_now()` reads the one row of `test_clock`, which the test sets (decision 15). */
export async function followClock(database: Queryable): Promise<void> {
  await database.query({
    text: `create table test_clock as select now() as at;
           create or replace function service_now() returns timestamptz language sql volatile
           as 'select at from test_clock'`,
  });
}
