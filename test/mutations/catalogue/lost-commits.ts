// Mutations of how the service handles commits that Postgres has lost (decision 133).
import type { Mutation } from '../mutation';

const MISSING_ROW = ['test/workflows/missing-row.test.ts'] as const;
const RESTORE_STOP = ['test/workflows/restore-stop.test.ts'] as const;

export const LOST_COMMIT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a workflow without a row does not stop payouts',
    file: 'activities/restores.ts',
    find: 'await lostCommits.reportMissingRow(new Date(payment.createdAtMs));',
    replace: '',
    tests: MISSING_ROW,
    mustFail: 'a workflow started for a committed row that is missing stops payouts once and waits',
  },
  {
    name: 'a workflow start of another installation stops payouts',
    file: 'activities/restores.ts',
    find: 'payment.installationId !== installationId',
    replace: 'payment.installationId === undefined',
    tests: MISSING_ROW,
    mustFail: 'of another installation fails',
  },
  {
    name: 'a loss that operators have resolved stops payouts again',
    file: 'src/postgres/payouts/lost-commits.ts',
    find: 'ended_at is not null and at >= ${createdAt}',
    replace: 'ended_at is not null and at < ${createdAt}',
    tests: MISSING_ROW,
    mustFail: 'a loss that an operator has resolved does not stop payouts again',
  },
  {
    name: 'a lifted stop for a Temporal restore counts as one for a Postgres loss',
    file: 'src/postgres/payouts/lost-commits.ts',
    find: "where kind = 'restore' and ended_at",
    replace: "where kind <> 'operator' and ended_at",
    tests: MISSING_ROW,
    mustFail: 'a loss stops payouts although a later stop for a restore of Temporal was lifted',
  },
  {
    name: 'a row that was created again is paid without a provider query',
    file: 'src/postgres/payouts/journal.ts',
    find: ' and not ${MAY_HAVE_LOST_COMMITS} for share',
    replace: ' for share',
    tests: RESTORE_STOP,
    mustFail: 'a payment that is created during the stop is queried before it is sent',
  },
  {
    name: 'a workflow accepts a row with another amount',
    file: 'src/postgres/intents/transition-parts.ts',
    find: 'i.amount_usd_cents = $amount_usd_cents and i.corridor = $corridor',
    replace: 'i.corridor = $corridor',
    tests: MISSING_ROW,
    mustFail: 'a row of another amount moves no money and needs attention',
  },
  {
    name: 'an intent expires during a stop for a restore',
    file: 'src/postgres/intents/transition-statements.ts',
    find: 'guards: [IS_OVERDUE, MAY_END_UNPAID, IS_NOT_BY_PAYER]',
    replace: 'guards: [IS_OVERDUE, IS_NOT_BY_PAYER]',
    tests: RESTORE_STOP,
    mustFail: 'an intent stays created past its deadline during the stop, for readers too',
  },
  {
    name: 'an authorized payment is cancelled during a stop for a restore',
    file: 'src/postgres/intents/transition-parts.ts',
    find: '`not ${IS_RESTORE_STOP_IN_FORCE} and ${IS_UNPAID}`',
    replace: 'IS_UNPAID',
    tests: RESTORE_STOP,
    mustFail: 'an authorized payment is not cancelled during the stop either',
  },
  {
    name: 'an authorized payment is cancelled without a provider query after lost commits',
    file: 'src/postgres/intents/transition-statements.ts',
    find: "set: `status = 'cancelled', check_at = null`,\n  guards: [MAY_END_UNPAID,",
    replace:
      "set: `status = 'cancelled', check_at = null`,\n  guards: ['not exists (select from payouts p where p.intent_id = $intent_id)',",
    tests: RESTORE_STOP,
    mustFail: 'a cancel beside a confirm is written only if the provider does not know the payout',
  },
  {
    name: 'readers say expired for a payment that a stop for a restore holds up',
    file: 'src/postgres/intents/row.ts',
    find: ' or ${IS_RESTORE_STOP_IN_FORCE} or ${MUST_QUERY_PROVIDER}',
    replace: '',
    tests: RESTORE_STOP,
    mustFail: 'an intent stays created past its deadline during the stop, for readers too',
  },
  {
    name: 'an intent expires although the provider may have the payout',
    file: 'activities/payout.ts',
    find: 'permissionsOf(answer.outcome, FORGOTTEN, abilities).release;',
    replace:
      "permissionsOf(answer.outcome, FORGOTTEN, abilities).release || answer.outcome === 'paid';",
    tests: RESTORE_STOP,
    mustFail: 'an intent does not expire while the provider answers paid, and needs attention',
  },
  {
    name: 'equal idempotency keys of two partners give the same intent id',
    file: 'src/signing/installation.ts',
    find: "derive('intent', partnerId, idempotencyKey)",
    replace: "derive('intent', idempotencyKey)",
    tests: ['test/signing/installation.test.ts'],
    mustFail: 'another partner with the same key has another id',
  },
  {
    name: 'a start does not notice that the workflow is older than its row',
    file: 'src/temporal/payment-start.ts',
    find: 'if (createdAtMs !== payment.createdAtMs) {',
    replace: 'if (memo === undefined) {',
    tests: ['test/temporal/start-queue.test.ts'],
    mustFail: 'reports a row that was created again',
  },
  {
    name: 'a payment whose row has returned unchanged waits for operators for ever',
    file: 'workflows/settlement.ts',
    find: 'if (row.isPayable || isBack) return;',
    replace: 'if (row.isPayable && !isBack) return;',
    tests: MISSING_ROW,
    mustFail: 'a payment whose row is missing at its payout is paid once when the row is back',
  },
  {
    name: 'a row without the writes of its workflow does not count as a loss',
    file: 'workflows/payment.ts',
    find: 'isReachable(row.status, payment.status)) {',
    replace: 'row.status === payment.input.status) {',
    tests: ['test/simulate/life.test.ts'],
    mustFail:
      'its workflow stops payouts for a debit that Postgres has lost, and queries the provider',
  },
  {
    name: 'attention that Postgres has lost is not written again',
    file: 'workflows/payment.ts',
    find: "} else if (phase.name === 'watching') {",
    replace: "} else if (phase.name === 'paying') {",
    tests: ['test/simulate/life.test.ts'],
    mustFail: 'attention that a failover has lost is written again by a reminder',
  },
  {
    name: 'a cancel that a stop for a restore rejected is repeated at once',
    file: 'workflows/payment-intent.ts',
    find: "if (payment.status === 'created') payment.cancelRejectedAtMs = Date.now();",
    replace: '',
    tests: RESTORE_STOP,
    mustFail:
      'a cancel changes nothing during the stop, and is written after a query to the provider',
  },
];
