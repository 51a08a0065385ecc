// Mistakes about what Postgres has lost (record 133).
import type { TestMutation } from '../mutation';

const MISSING_ROW = ['test/workflows/missing-row.test.ts'] as const;
const HOLD = ['test/workflows/restore-hold.test.ts'] as const;
/** Otherwise the provider is queried after each loss, whatever the mistake. */
const UNREAD = { 'the timeline of Postgres': 'may not be read' };
/** Postgres is put back to a backup of this phase, between two ticks of the watch: it notices nothing. */
const putBackTo = (phase: string) => ({
  'the backup of Postgres, by phase': phase,
  'Postgres loses commits': 'put back 5 s later',
  ...UNREAD,
});

export const LOST_COMMIT_MISTAKES: readonly TestMutation[] = [
  {
    name: 'a workflow without a row stops no payout',
    file: 'activities/restores.ts',
    find: 'await lostCommits.reportMissingRow(new Date(payment.createdAtMs));',
    replace: '',
    tests: MISSING_ROW,
    mustFail: 'started for a committed row that is gone, it stops payouts once and waits',
    simulated: putBackTo('unwritten'),
  },
  {
    name: 'a start of another installation stops payouts',
    file: 'activities/restores.ts',
    find: 'payment.installationId !== installationId',
    replace: 'payment.installationId === undefined',
    tests: MISSING_ROW,
    mustFail: 'a mistyped id of another installation',
  },
  {
    name: 'a loss that people have dealt with stops payouts again',
    file: 'src/postgres/payouts/lost-commits.ts',
    find: 'ended_at is not null and at >= ${createdAt}',
    replace: 'ended_at is not null and at < ${createdAt}',
    tests: MISSING_ROW,
    mustFail: 'stops nothing again for a loss that people have dealt with',
  },
  {
    name: 'a stop for Temporal that was lifted counts as one for a loss of Postgres',
    file: 'src/postgres/payouts/lost-commits.ts',
    find: "where kind = 'restore' and ended_at",
    replace: "where kind <> 'operator' and ended_at",
    tests: MISSING_ROW,
    mustFail: 'stops payouts although a later stop for a restore of Temporal was lifted',
  },
  {
    name: 'a row that was created again is paid without asking the provider',
    file: 'src/postgres/payouts/journal.ts',
    find: ' and not ${MAY_HAVE_FORGOTTEN}',
    replace: '',
    tests: HOLD,
    mustFail: 'a payment that is created during the stop is asked about before it is sent',
  },
  {
    name: 'a row of another amount is taken for the payment of its workflow',
    file: 'src/postgres/intents/transition-parts.ts',
    find: 'i.amount_usd_cents = $amount_usd_cents and i.corridor = $corridor',
    replace: 'i.corridor = $corridor',
    tests: MISSING_ROW,
    mustFail: 'moves nothing for a row of another amount, and needs attention',
  },
  {
    name: 'an intent expires during a stop for a restore',
    file: 'src/postgres/intents/transition-statements.ts',
    find: 'guards: [IS_OVERDUE, MAY_END_UNPAID, BY_NO_PAYER]',
    replace: 'guards: [IS_OVERDUE, BY_NO_PAYER]',
    tests: HOLD,
    mustFail: 'past the deadline nothing is written, and readers say created',
  },
  {
    name: 'an authorized payment is cancelled during a stop for a restore',
    file: 'src/postgres/intents/transition-parts.ts',
    find: '`not ${IS_RESTORE_STOP_IN_FORCE} and coalesce(',
    replace: '`coalesce(',
    tests: HOLD,
    mustFail: 'an authorized payment that the stop holds up is not cancelled either',
  },
  {
    name: 'an authorized payment is cancelled unasked after commits were lost',
    file: 'src/postgres/intents/transition-statements.ts',
    find: 'guards: [MAY_END_UNPAID, NO_PAYOUT, BY_NO_PAYER]',
    replace: 'guards: [NO_PAYOUT, BY_NO_PAYER]',
    tests: HOLD,
    mustFail: 'a cancel beside a confirm is carried out only where the provider has no payout',
  },
  {
    name: 'readers say expired of what a stop for a restore holds up',
    file: 'src/postgres/intents/row.ts',
    find: ' or ${IS_RESTORE_STOP_IN_FORCE} or ${MUST_QUERY_PROVIDER}',
    replace: '',
    tests: HOLD,
    mustFail: 'past the deadline nothing is written, and readers say created',
    simulated: {
      'the backup of Postgres, by phase': 'created',
      'Postgres loses commits': 'a failover 5 s later',
      ...UNREAD,
    },
  },
  {
    name: 'it expires although the provider does not deny the payout',
    file: 'workflows/cancel.ts',
    find: 'if (await isKnownUnpaid(orderOf(payment))) {',
    replace: 'if ((await isKnownUnpaid(orderOf(payment))) || true) {',
    tests: HOLD,
    mustFail: 'an intent does not expire while the provider says paid, and needs attention',
    simulated: {
      'the backup of Postgres, by phase': 'created',
      'Postgres loses commits': 'put back 2 min later',
      ...UNREAD,
      'while it waits': 'an operator terminates the workflow',
    },
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
    tests: ['test/temporal/start-queue.test.ts'],
    mustFail: 'reports a row that was created again',
    simulated: putBackTo('unwritten'),
  },
  {
    name: 'a payment whose row is back as it was waits for people for ever',
    file: 'workflows/settlement.ts',
    find: 'payment.row.returns > returnsSeen) return;',
    replace: 'payment.row.returns < 0) return;',
    tests: MISSING_ROW,
    mustFail: 'is paid once where its row was gone at its payout, and is back as it was',
    simulated: {
      'the backup of Postgres, by phase': 'unwritten',
      'Postgres loses commits': 'a failover 2 min later',
      ...UNREAD,
      'created again after a loss': 'operators put its rows back',
    },
  },
  {
    name: 'a row that does not say what its workflow has written proves no loss of commits',
    file: 'workflows/payment.ts',
    find: 'if (isReachable(row, payment.status)) {',
    replace: 'if (row === payment.input.status) {',
    tests: ['test/simulate/life.test.ts'],
    mustFail:
      'its workflow stops payouts for a debit that Postgres has lost, and queries the provider',
  },
  {
    name: 'attention that Postgres has lost is not written again',
    file: 'workflows/payment.ts',
    find: "phase.name !== 'watching' || attention",
    replace: "phase.name === 'watching' || attention",
    tests: ['test/simulate/life.test.ts'],
    mustFail: 'attention that a failover has lost is written again by a reminder',
    simulated: putBackTo('paying'),
  },
  {
    name: 'a cancel that a stop for a restore refused is tried at once again',
    file: 'workflows/payment-intent.ts',
    find: "if (payment.status === 'created') payment.cancelRejectedAtMs = Date.now();",
    replace: '',
    tests: HOLD,
    mustFail:
      'a cancel changes nothing during the stop, and is carried out after the provider was asked',
  },
];
