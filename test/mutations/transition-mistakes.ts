// Mistakes about the keys of money, the table of statuses, and what a transition writes and guards.
import type { Mutation } from './mutation';

export const TABLE_MISTAKES: readonly Mutation[] = [
  {
    name: 'a random part in the key of every money movement',
    file: 'src/domain/ids.ts',
    find: 'return `${intentId}:${step}`;',
    replace: 'return `${intentId}:${step}:${String(Math.random())}`;',
    tests: ['test/domain/ids.test.ts'],
    mustFail: 'of the step payout is made of intent and step, and the same every time',
  },
  {
    name: 'a random idempotency key for the payout',
    file: 'activities/payout.ts',
    find: "key: stepKey(intentId, 'payout')",
    replace: "key: stepKey(intentId, 'payout') + String(Math.random())",
    tests: ['test/activities/payout.test.ts'],
    mustFail: 'is recorded before it is sent, under the key of intent and step',
  },
  {
    name: 'an edge added to the table: an expired intent may be authorized',
    file: 'src/domain/intent-transitions.ts',
    find: "{ from: 'captured', event: 'refund', to: 'refunded' },",
    replace:
      "{ from: 'captured', event: 'refund', to: 'refunded' }, { from: 'expired', event: 'authorize', to: 'authorized' },",
    tests: ['test/domain/intent-transitions.test.ts'],
    mustFail: 'from expired, authorize leads to -',
  },
  {
    name: 'a run adopts a row that contradicts it',
    file: 'src/domain/intent-transitions.ts',
    find: "return isReachable(target, row) || (from === 'created' && isReachable(from, row));",
    replace: 'return isReachable(from, row) || isReachable(target, row);',
    tests: ['test/domain/intent-transitions.test.ts'],
    mustFail: 'going from authorized to captured, a row that says failed: false',
  },
];

export const TRANSITION_MISTAKES: readonly Mutation[] = [
  {
    name: 'the jti is not spent in the statement that authorizes',
    file: 'src/postgres/transition-statement.ts',
    find: "where m.status = 'authorized' and $7 is not null",
    replace: 'where false',
    tests: ['test/postgres/transition.test.ts'],
    mustFail: 'spent on another intent reports token_refused, and the intent stays created',
  },
  {
    name: 'captured without a debit',
    file: 'src/postgres/transition-statement.ts',
    find: `       and ($3 <> 'captured'
            or exists (select from ledger_transfers d where d.transfer_key = $1 || ':debit'))
`,
    replace: '',
    tests: ['test/postgres/transition.test.ts'],
    mustFail: 'moves nothing when nothing was debited',
  },
  {
    name: 'cancelled after the payout was sent',
    file: 'src/postgres/transition-statement.ts',
    find: 'and exists (select from payouts p where p.intent_id = $1))',
    replace: 'and false)',
    tests: ['test/postgres/payout-journal.test.ts'],
    mustFail: 'is refused by the row once a payout attempt was recorded',
  },
  {
    name: 'an end without payout does not wait for the payout attempt that is being recorded',
    file: 'src/postgres/transition.ts',
    find: 'const moved = takesTransaction(command, target)',
    replace: 'const moved = takesTransaction(command, target) && eventId === null',
    tests: ['test/postgres/payout-journal.test.ts'],
    mustFail: 'that waited for a payout attempt to be recorded is refused all the same',
  },
  {
    name: 'authorized past the deadline',
    file: 'src/postgres/transition-statement.ts',
    find: "case when i.status = 'created' and i.expires_at <= clock.now then 'expired' else $3 end",
    replace: '$3',
    tests: ['test/postgres/deadline.test.ts'],
    mustFail: 'authorize writes expired',
  },
  {
    name: 'a transition whose answer was lost is not adopted',
    file: 'workflows/payment.ts',
    find: 'if (canAdopt({ from, target, row: report.status })) adopt(payment, report);',
    replace: "if (report.outcome === 'did') adopt(payment, report);",
    tests: ['test/faults/every-activity-fails.test.ts'],
    mustFail:
      'picked up from its row, whose run had not heard of the confirm ends the same, with one effect each, when recordTransition capture fails after its effect',
  },
  {
    name: 'a cancel that came in time is forgotten, and the payout sent',
    file: 'workflows/settlement.ts',
    find: "if (payment.isCancelAsked && (await cancelBeforePayout(payment)) === 'cancelled') return;",
    replace: '',
    tests: ['test/workflows/settlement.test.ts'],
    mustFail: 'is cancelled, its debit released first, while the payout has not been sent',
  },
  {
    name: 'a cancel that was let in before the confirm was written is forgotten',
    file: 'workflows/payment-intent.ts',
    find: "if (late.event === 'cancel') payment.isCancelAsked = true;",
    replace: '',
    tests: ['test/replay/replay.test.ts'],
    mustFail: 'cancelled-while-authorized.json replays against the workflows of today',
  },
  {
    name: 'a row that ended otherwise than its run knows does not say that people must look',
    file: 'workflows/settlement.ts',
    find: 'await waitForOperations(payment, reason, report.status);',
    replace: 'await waitForOperations(payment, reason, payment.status);',
    tests: ['test/workflows/contrary-row.test.ts'],
    mustFail:
      'a payout that is paid beside a row that has failed is captured by nobody, and its row says that people must look',
  },
  {
    name: 'an open row whose completed run Temporal has forgotten gets a new one',
    file: 'src/postgres/payment-sweep.ts',
    find: "not starts_with(coalesce(attention_reason, ''), $2)",
    replace: '$2::text is not null',
    tests: ['test/temporal/reconciler.test.ts'],
    mustFail: 'does not repair an open row whose run has completed, but asks for attention',
  },
  {
    name: 'a cancel that the run has refused is looked at once',
    file: 'api/intents/cancel.ts',
    find: "told === 'answered' ? await decided(look) : await look()",
    replace: "told === 'busy' ? await decided(look) : await look()",
    tests: ['test/api/cancel-undecided.test.ts'],
    mustFail: 'is 409 once the payout is recorded, and not 503',
  },
  {
    name: 'a cancel whose record could not be told is not asked about again',
    file: 'api/intents/cancel.ts',
    find: 'const look = () => askAgainOnce(ask);',
    replace: 'const look = ask;',
    tests: ['test/api/lost-answers.test.ts'],
    mustFail: 'is 200 when the answer of Postgres was lost once, and nobody else is told so',
  },
  {
    name: 'operations confirm where workers do not allow it',
    file: 'activities/intents.ts',
    find: "if (!isOperatorConfirmAllowed) return 'not_allowed';",
    replace: '',
    tests: ['test/workflows/operator-confirm.test.ts'],
    mustFail:
      'authorizes nothing where workers do not allow it, as in prod; the payer may still confirm',
  },
  {
    name: 'operations confirm without a payee where the corridor requires one',
    file: 'activities/intents.ts',
    find: 'return intent !== undefined && isQrPayloadRequired[intent.corridor]',
    replace: 'return intent === undefined',
    tests: ['test/ops/confirm.test.ts'],
    mustFail: 'is refused by the workers too, where operations’ own settings do not say so',
  },
  {
    name: 'the webhook event is not written',
    file: 'src/postgres/transition-statement.ts',
    find: "where 'payment_intent.' || m.status = any (e.event_types)",
    replace: 'where false',
    tests: ['test/postgres/webhook-store.test.ts'],
    mustFail: 'is written once, and every repeat of its transition names the same',
  },
];
