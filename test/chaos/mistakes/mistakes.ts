// Deliberate mistakes, each with the invariant that a run of the harness must find violated: the checker is checked.
import type { Mistake } from '../../mutations/mutation';

export interface ChaosMistake extends Mistake {
  /** The faults that bring it to light; `none` where the load alone does. */
  readonly only: readonly string[];
  readonly seconds: number;
  /** The name of the invariant. */
  readonly mustViolate: string;
}

const BY_LOAD_ALONE = { only: ['none'], seconds: 12 };

export const CHAOS_MISTAKES: readonly ChaosMistake[] = [
  {
    ...BY_LOAD_ALONE,
    name: 'an idempotency key dropped: every sending of a payout has one of its own',
    file: 'activities/payout.ts',
    find: "key: stepKey(intentId, 'payout')",
    replace: "key: stepKey(intentId, 'payout') + String(Math.random())",
    mustViolate: 'at most one debit and one payout per intent',
  },
  {
    name: 'an idempotency key dropped: every debit has one of its own',
    file: 'src/postgres/funds-account.ts',
    find: "key: stepKey(intentId, 'debit')",
    replace: "key: stepKey(intentId, 'debit') + String(Math.random())",
    only: ['funds.debit after'],
    seconds: 20,
    mustViolate: 'at most one debit and one payout per intent',
  },
  {
    ...BY_LOAD_ALONE,
    name: 'a release skipped: a failed payment keeps what was debited',
    file: 'src/postgres/transition-statements.ts',
    find: '    RELEASE,\n    CREDIT,\n',
    replace: '',
    mustViolate: 'a debit without a payout is released or visibly waiting',
  },
  {
    ...BY_LOAD_ALONE,
    name: 'a nonce accepted twice',
    file: 'src/postgres/nonce.ts',
    find: 'on conflict (partner_id, nonce) do nothing',
    replace: 'on conflict (partner_id, nonce) do update set seen_at = excluded.seen_at',
    mustViolate: 'no nonce is accepted twice',
  },
  {
    ...BY_LOAD_ALONE,
    name: 'a token answered 200 more than once',
    file: 'src/postgres/session-tokens.ts',
    find: 'and (answered_by is null or answered_by = $5)',
    replace: '',
    mustViolate: 'no jti is accepted twice',
  },
  {
    ...BY_LOAD_ALONE,
    name: 'a webhook forgotten: that of a failed payment',
    file: 'src/postgres/transition-parts.ts',
    find: "where 'payment_intent.' || m.status = any (e.event_types)",
    replace: "where 'payment_intent.' || m.status = any (e.event_types) and m.status <> 'failed'",
    mustViolate: 'each settled or failed intent has its webhook, with one id',
  },
  {
    name: 'a webhook forgotten: what an endpoint missed while it was disabled counts as delivered',
    file: 'src/ops/endpoint-rows.ts',
    find: "set state = 'missed', due_at = null, check_at = null",
    replace: "set state = 'delivered', due_at = null, check_at = null",
    only: ['webhooks disabled', 'mute worker-partner', 'cut worker-partner'],
    seconds: 30,
    mustViolate: 'each settled or failed intent has its webhook, with one id',
  },
  {
    name: 'an order of writes swapped: a webhook is recorded as delivered, then sent',
    file: 'activities/webhook-attempt.ts',
    find: 'const attempt = await attemptOnce(dependencies, event);',
    replace: `const done = { startedAt: dependencies.clock.now(), durationMs: 0, status: 200, error: null, answerExcerpt: null };
  await dependencies.store.finish(event, { ...done, result: 'delivered', retryInMs: null });
  const attempt = await attemptOnce(dependencies, event);`,
    only: ['sender.post before'],
    seconds: 25,
    mustViolate: 'each settled or failed intent has its webhook, with one id',
  },
  {
    ...BY_LOAD_ALONE,
    name: 'an order of writes swapped: captured, then paid out',
    file: 'workflows/settlement.ts',
    find: 'const payout = await payOutWhenAllowed(payment);',
    replace:
      "await end(payment, { event: 'capture', actor: 'system' });\n    const payout = await payOutWhenAllowed(payment);",
    mustViolate: 'captured is paid out, and nothing else is kept',
  },
  {
    ...BY_LOAD_ALONE,
    name: 'a session token written into the log',
    file: 'api/middleware/access-log.ts',
    find: 'request_id: requestId,',
    replace: "request_id: requestId, credentials_brought: ctx.get('Authorization'),",
    mustViolate: 'no secret in any log, history or error',
  },
  {
    name: 'what nobody knows is told as a conflict',
    file: 'src/postgres/session-tokens.ts',
    find: "return row.status === 'created' ? 'undecided' : 'conflict';",
    replace: "return 'conflict';",
    only: ['kill worker'],
    seconds: 20,
    mustViolate: '409 to confirm was true',
  },
  {
    name: 'a timestamp taken whatever it is',
    file: 'src/domain/limits.ts',
    find: 'export const TIMESTAMP_SKEW_MAX_SECONDS = 300;',
    replace: 'export const TIMESTAMP_SKEW_MAX_SECONDS = 900;',
    only: ['clock skew'],
    seconds: 45,
    mustViolate: 'out of its time, a signed request is refused',
  },
  {
    ...BY_LOAD_ALONE,
    name: 'captured payments are not looked for in the statement',
    file: 'src/postgres/reconcile/compare-books.ts',
    find: "           and not exists (select from statement_lines s where s.payout_key = i.intent_id || ':payout')\n",
    replace: '',
    mustViolate: 'payctl reconcile finds every difference and invents none',
  },
  {
    name: 'a deadline is told while a commit that beats it still waits',
    file: 'src/postgres/intent-row.ts',
    find: "${isBeingWritten('i')} or ",
    replace: '',
    only: ['commits stalled'],
    seconds: 120,
    mustViolate: '200 to GET was true',
  },
  {
    name: 'any 404 counts as the word of the provider',
    file: 'src/http/provider-answer.ts',
    find: 'return answer.success && answer.data.key === key;',
    replace: 'return true;',
    only: ['gateway worker-provider'],
    seconds: 160,
    mustViolate: 'a payout implies a debit',
  },
];
