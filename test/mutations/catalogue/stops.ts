// Mutations of the stop of all payouts, and of rows that a restored database has lost (decision
// 127).
import type { Mutation } from '../mutation';

export const STOP_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a payout is begun while payouts are stopped',
    file: 'src/postgres/payouts/stops.ts',
    find: 'exists (select from payout_stops where ended_at is null)',
    replace: 'exists (select from payout_stops where ended_at is not null and at > ended_at)',
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'prevents a payout from beginning, and the attempt writes nothing',
  },
  {
    name: 'a locked payout that has begun counts as not begun',
    file: 'src/postgres/payouts/journal.ts',
    find: "when ${IS_BEGUN} then 'locked'",
    replace: '',
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'does not report a locked payout that has begun as not begun',
  },
  {
    name: 'a payout is resolved as declined, as never begun, although it has begun since',
    file: 'src/postgres/intents/transition-statements.ts',
    find: 'r.verified_attempts = coalesce(p.attempts, 0)',
    replace: 'r.verified_attempts in (0, p.attempts)',
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'a payout that was never begun does not fail if it has begun since it was verified',
  },
  {
    name: 'a payment stopped by a stop of payouts is cancelled although the provider has the payout',
    file: 'activities/payout.ts',
    find: 'permissionsOf(answer.outcome, FORGOTTEN, abilities).release;',
    replace:
      "permissionsOf(answer.outcome, FORGOTTEN, abilities).release || answer.outcome === 'paid';",
    tests: ['test/workflows/stopped-payout.test.ts'],
    mustFail: 'is not cancelled if the provider answers paid',
  },
  {
    name: 'a silent provider counts as one that has no such payout',
    file: 'activities/payout.ts',
    find: 'permissionsOf(answer.outcome, FORGOTTEN, abilities).release;',
    replace:
      "permissionsOf(answer.outcome, FORGOTTEN, abilities).release || answer.outcome === 'unknown';",
    tests: ['test/workflows/stopped-payout.test.ts'],
    mustFail: 'is not cancelled if the provider answers unknown',
  },
  {
    name: 'a debit is released while a payout that the rows have lost may still arrive',
    file: 'workflows/cancel.ts',
    find: 'if (waitMs > 0) await sleep',
    replace: 'if (waitMs > 16_000) await sleep',
    tests: ['test/workflows/stopped-payout.test.ts'],
    mustFail: 'a delayed payment releases no debit while a request may still be on its way',
  },
  {
    name: 'a payout is resolved as declined because its row has lost the sending',
    file: 'activities/resolution.ts',
    find: 'if (attempts === 0 && payout.hasBegun) return ATTEMPT_FORGOTTEN;',
    replace: 'if (attempts > 0 && !payout.hasBegun) return ATTEMPT_FORGOTTEN;',
    tests: ['test/workflows/resolution.test.ts'],
    mustFail:
      'as declined is rejected if the workflow has sent the payout and the row has lost that',
  },
  {
    name: 'a workflow that starts beside an authorized row releases the debit of a paid payout',
    file: 'workflows/cancel.ts',
    find: "isOwn ? await cancel(payment) : 'not_queried'",
    replace: 'await cancel(payment)',
    tests: ['test/workflows/contradicting-row.test.ts'],
    mustFail: 'releases no debit if the provider answers paid: the payout is captured',
  },
  {
    name: 'a restored Postgres passes the tick check',
    file: 'src/domain/restore.ts',
    find: 'if (ticks === known.ticks + 1) return null;',
    replace: 'if (ticks <= known.ticks + 1) return null;',
    tests: ['test/workflows/restore-watch.test.ts'],
    mustFail:
      'a restored Postgres stops payouts once, with the time it went back to, and counts on',
  },
  {
    name: 'a payment cancelled on an answer of the provider is never rechecked',
    file: 'workflows/cancel.ts',
    find: "{ resolvedAs: 'cancelled', ...CANCEL }",
    replace: '{ ...CANCEL }',
    tests: ['test/temporal/rechecks.test.ts'],
    mustFail: 'and whose provider finally answers paid raises attention',
  },
  {
    name: 'a capture does not record a payout that a restored row has lost',
    file: 'src/postgres/payouts/endings.ts',
    find: 'from moved m, clock where ${NO_PAYOUT}',
    replace: 'from moved m, clock where false',
    tests: ['test/postgres/ledger/check.test.ts'],
    mustFail: 'passes where a restored database had lost a payout that was captured later',
  },
  {
    name: 'the end of a stop does not bring forward the payments that it stopped',
    file: 'src/postgres/migrations/0009-decisions.sql',
    find: "i.check_at > (select at from next_check) and i.status = 'authorized'",
    replace: "i.check_at > (select at from next_check) and i.status = 'created'",
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'makes delayed payments due every ten minutes, and half a minute after its end',
  },
  {
    name: 'a workflow that waits for the end of a stop is reminded during the stop',
    file: 'src/postgres/intents/claims.ts',
    find: "when i.status = 'authorized' and not due.is_delayed",
    replace: "when i.status = 'authorized'",
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'makes delayed payments due every ten minutes',
  },
  {
    name: 'a stop for a restore is lifted without the restore option',
    file: 'src/postgres/migrations/0009-decisions.sql',
    find: "and ((given ->> 'after_restore')::boolean",
    replace: 'and (true',
    tests: ['test/ops/payouts/payouts.test.ts'],
    mustFail: 'lifts a stop for a restore only with --after-restore',
  },
];
