// Mistakes about what Postgres has lost (record 133).
import type { Mutation } from './mutation';

const MISSING_ROW = ['test/workflows/missing-row.test.ts'] as const;
const HOLD = ['test/workflows/restore-hold.test.ts'] as const;

export const LOST_COMMIT_MISTAKES: readonly Mutation[] = [
  {
    name: 'a workflow without a row stops no payout',
    file: 'activities/lost-commits.ts',
    find: 'await lostCommits.reportMissingRow(new Date(payment.createdAtMs));',
    replace: '',
    tests: MISSING_ROW,
    mustFail: 'started for a committed row that is gone, it stops payouts once and waits',
  },
  {
    name: 'a start of another installation stops payouts',
    file: 'activities/lost-commits.ts',
    find: 'payment.installationId !== installationId',
    replace: 'payment.installationId === undefined',
    tests: MISSING_ROW,
    mustFail: 'a mistyped id of another installation',
  },
  {
    name: 'a loss that people have dealt with stops payouts again',
    file: 'src/postgres/lost-commits.ts',
    find: 'ended_at is not null and at >= ${createdAt}',
    replace: 'ended_at is not null and at < ${createdAt}',
    tests: MISSING_ROW,
    mustFail: 'stops nothing again for a loss that people have dealt with',
  },
  {
    name: 'a row that was created again is paid without asking the provider',
    file: 'src/postgres/payout-journal.ts',
    find: ' && !must_ask_provider',
    replace: '',
    tests: HOLD,
    mustFail: 'a payment that is created during the stop is asked about before it is sent',
  },
  {
    name: 'a row of another amount is taken for the payment of its workflow',
    file: 'src/postgres/transition-statement.ts',
    find: 'i.amount_usd_cents = $14 and i.corridor = $15',
    replace: 'i.corridor = $15',
    tests: MISSING_ROW,
    mustFail: 'moves nothing for a row of another amount, and needs attention',
  },
  {
    name: 'an intent expires during a stop for a restore',
    file: 'src/postgres/transition-statement.ts',
    find: '(not ${IS_RESTORE_STOP_IN_FORCE} and ($17::boolean or not ${MUST_ASK_PROVIDER}))',
    replace: '($17::boolean or true)',
    tests: HOLD,
    mustFail: 'past the deadline nothing is written, and readers say created',
  },
  {
    name: 'an authorized payment is cancelled during a stop for a restore',
    file: 'src/postgres/transition-statement.ts',
    find: "and not ($3 = 'cancelled' and ${IS_RESTORE_STOP_IN_FORCE})",
    replace: '',
    tests: HOLD,
    mustFail: 'an authorized payment that the stop holds up is not cancelled either',
  },
  {
    name: 'readers say expired of what a stop for a restore holds up',
    file: 'src/postgres/intent-row.ts',
    find: ' or ${IS_RESTORE_STOP_IN_FORCE} or ${MUST_ASK_PROVIDER}',
    replace: '',
    tests: HOLD,
    mustFail: 'past the deadline nothing is written, and readers say created',
  },
  {
    name: 'it expires although the provider does not deny the payout',
    file: 'workflows/end-unpaid.ts',
    find: 'if (await isKnownUnpaid(orderOf(payment))) {',
    replace: 'if ((await isKnownUnpaid(orderOf(payment))) || true) {',
    tests: HOLD,
    mustFail: 'an intent does not expire while the provider says paid, and needs attention',
  },
  {
    name: 'two partners share the intent ids of equal keys',
    file: 'src/signing/installation.ts',
    find: "derive('intent', partnerId, idempotencyKey)",
    replace: "derive('intent', idempotencyKey)",
    tests: ['test/signing/installation.test.ts'],
    mustFail: 'another partner with the same key has another id',
  },
  {
    name: 'a workflow that is older than its row is not noticed at the start',
    file: 'src/temporal/payment-start.ts',
    find: 'if (createdAtMs !== payment.createdAtMs) {',
    replace: 'if (memo === undefined) {',
    tests: ['test/temporal/new-starts.test.ts'],
    mustFail: 'reports a row that was created again',
  },
  {
    name: 'a payment whose row is back as it was waits for people for ever',
    file: 'workflows/settlement.ts',
    find: 'if (standing.status === payment.status && payment.rowReturns > rowReturns) {',
    replace: 'if (payment.rowReturns < 0) {',
    tests: MISSING_ROW,
    mustFail: 'is paid once where its row was gone at its payout, and is back as it was',
  },
  {
    name: 'a cancel that a stop for a restore refused is tried at once again',
    file: 'workflows/payment-intent.ts',
    find: "if (!isConfirm && payment.status === 'created') payment.cancelRefusedAtMs = Date.now();",
    replace: '',
    tests: HOLD,
    mustFail:
      'a cancel changes nothing during the stop, and is carried out after the provider was asked',
  },
];
