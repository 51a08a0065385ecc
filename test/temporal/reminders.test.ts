// How often the workflow repairer reminds a payment that waits (decision 104): Temporal accepts
// 10 000 signals for a workflow, and ends it at 51 200 events.
import { CLAIM_LEASE_SECONDS } from '../../src/domain/limits';
import { isReminderDue } from '../../src/temporal/ensure-workflow';

const CLAIMED_EVERY_MS = CLAIM_LEASE_SECONDS * 1_000 + 5_000;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** The times of the reminders of a payment that waits for a year. */
function remindersOfAYear(): readonly number[] {
  const claims = Math.floor((365 * DAY_MS) / CLAIMED_EVERY_MS);
  return Array.from({ length: claims }, (_, nth) => nth * CLAIMED_EVERY_MS).filter(isReminderDue);
}

it('a payment that waits for a year gets less than a hundred reminders', () => {
  expect(remindersOfAYear().length).toBeLessThan(100);
});

it('a payment gets five reminders in its first ten minutes', () => {
  expect(remindersOfAYear().filter((atMs) => atMs < 10 * MINUTE_MS)).toHaveLength(5);
});

it('after ten minutes the next reminder comes before the wait has grown by a fourth', () => {
  const late = remindersOfAYear().filter((atMs) => atMs >= 10 * MINUTE_MS);
  for (const [nth, atMs] of late.slice(1).entries()) {
    expect(atMs / (late[nth] ?? 0)).toBeLessThan(1.25);
  }
});
