// Mistakes about a stop of all payouts, and about what a restored database has forgotten (decision 127).
import type { TestMutation } from '../mutation';

export const STOP_MISTAKES: readonly TestMutation[] = [
  {
    name: 'a payout is begun while payouts are stopped',
    file: 'src/postgres/payouts/stops.ts',
    find: 'exists (select from payout_stops where ended_at is null)',
    replace: 'exists (select from payout_stops where ended_at is not null and at > ended_at)',
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail:
      'keeps a payout that was not begun from being begun, and leaves nothing of the attempt',
  },
  {
    name: 'one that was begun is taken for not begun while operations have it judged',
    file: 'src/postgres/payouts/journal.ts',
    find: '${ARE_PAYOUTS_STOPPED} and not ${IS_BEGUN} then',
    replace: '${ARE_PAYOUTS_STOPPED} then',
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail:
      'does not say of one that operations have judged at this moment that it was not begun',
  },
  {
    name: 'never begun, it is declared declined although it has begun since',
    file: 'src/postgres/intents/transition-statements.ts',
    find: '($payout_attempts = 0 and ${NO_PAYOUT})',
    replace: '($payout_attempts = 0)',
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'a payout that was never begun does not fail once it has begun since it was judged',
  },
  {
    name: 'a payment held up by a stop is cancelled although the provider has it',
    file: 'workflows/cancel.ts',
    find: 'const isUnpaid = await isKnownUnpaid(orderOf(payment));',
    replace: 'const isUnpaid = (await isKnownUnpaid(orderOf(payment))) || sinceMs > 0;',
    tests: ['test/workflows/payout-hold.test.ts'],
    mustFail:
      'is not cancelled where the provider says paid: a restored database may have forgotten that it was sent',
  },
  {
    name: 'a silent provider is taken for one that has no such payout',
    file: 'activities/payout.ts',
    find: "if (answer.outcome === 'not_found') return true;",
    replace: "if (answer.outcome === 'not_found' || answer.outcome === 'unknown') return true;",
    tests: ['test/workflows/payout-hold.test.ts'],
    mustFail:
      'is not cancelled where the provider says unknown: a restored database may have forgotten that it was sent',
  },
  {
    name: 'a debit is given back while a payout that nobody remembers may still be on its way',
    file: 'workflows/cancel.ts',
    find: 'if (waitMs > 0) await sleep',
    replace: 'if (waitMs > 16_000) await sleep',
    tests: ['test/workflows/payout-hold.test.ts'],
    mustFail: 'gives nothing back before whatever may have been on its way has landed',
  },
  {
    name: 'declared declined although only its row has forgotten that it was sent',
    file: 'workflows/payout.ts',
    find: "payoutAttempts === 0 && phase.name === 'watching'",
    replace: "payoutAttempts === 0 && phase.name === 'held'",
    tests: ['test/workflows/resolution.test.ts'],
    mustFail:
      'declined is refused where the row has forgotten that it was sent, which the run knows',
  },
  {
    name: 'a run that begins beside an authorized row gives back what the provider has',
    file: 'workflows/cancel.ts',
    find: "isOwn ? await cancel(payment) : 'unasked'",
    replace: 'await cancel(payment)',
    tests: ['test/workflows/contrary-row.test.ts'],
    mustFail: 'gives nothing back where the provider says paid: the payout is concluded',
  },
  {
    name: 'a Postgres that was put back is counted with as if nothing had happened',
    file: 'src/domain/restore.ts',
    find: 'if (ticks === known.ticks + 1) return null;',
    replace: 'if (ticks <= known.ticks + 1) return null;',
    tests: ['test/workflows/restore-watch.test.ts'],
    mustFail:
      'a Postgres that went back stops payouts once, says to when, and is counted with from there',
  },
  {
    name: 'what was cancelled on the word of the provider is never asked about again',
    file: 'workflows/cancel.ts',
    find: "{ resolvedAs: 'cancelled', isKnownUnpaid: true }",
    replace: '{ isKnownUnpaid: true }',
    tests: ['test/temporal/rechecks.test.ts'],
    mustFail: 'and the provider says paid in the end: attention',
  },
  {
    name: 'a capture leaves the payout out that a restored row has forgotten',
    file: 'src/postgres/intents/transition-statements.ts',
    find: 'from moved m, clock where ${NO_PAYOUT}',
    replace: 'from moved m, clock where false',
    tests: ['test/postgres/ledger/check.test.ts'],
    mustFail:
      'passes where a restored database had forgotten a payout that was captured all the same',
  },
  {
    name: 'what a stop held up is not looked at sooner once it has ended',
    file: 'src/postgres/payouts/stops.ts',
    find: "i.check_at > (select at from soon) and i.status = 'authorized'",
    replace: "i.check_at > (select at from soon) and i.status = 'created'",
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'reminded half a minute after its end',
  },
  {
    name: 'what a stop holds up is reminded while it lasts',
    file: 'src/postgres/intents/claims.ts',
    find: "when i.status = 'authorized' and not due.is_held",
    replace: "when i.status = 'authorized'",
    tests: ['test/postgres/payouts/lock.test.ts'],
    mustFail: 'has what it holds up looked at every ten minutes',
  },
  {
    name: 'a stop for a restore is ended without a comparison',
    file: 'src/postgres/payouts/stops.ts',
    find: 'and ($3 or not ',
    replace: 'and ($3::boolean is not null or not ',
    tests: ['test/ops/payouts/payouts.test.ts'],
    mustFail:
      'are not allowed without more ado where they were stopped because a database was put back',
  },
];
