// Mutations of when readers see a payment as expired, and of the statement and the poller that
// expire many payments at a time (decisions 15 and 132).
import type { Mutation } from '../mutation';

const STATEMENT = {
  file: 'src/postgres/intents/expiry.ts',
  tests: ['test/postgres/intents/expiry.test.ts'],
} as const;
const POLLER = {
  file: 'src/temporal/deadline-poller.ts',
  tests: ['test/temporal/deadline-poller.test.ts'],
} as const;

export const EXPIRY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'GET reports expired right after the deadline, without the grace',
    file: 'src/postgres/intents/row.ts',
    find: "i.expires_at + interval '${String(EXPIRY_GRACE_MS)} ms' <",
    replace: 'i.expires_at <',
    tests: ['test/postgres/intents/deadline.test.ts'],
    mustFail: 'see created until deadline and grace are over, and then expired',
  },
  {
    ...STATEMENT,
    name: 'payments that expire together get no history row',
    find: "'system' from moved m, clock",
    replace: "'system' from moved m, clock where false",
    mustFail: 'expires each due row, with an audit row and, if wanted, one event',
  },
  {
    ...STATEMENT,
    name: 'payments that expire together write no webhook event',
    find: "'moved m join event_ids using (intent_id)'",
    replace: "'moved m join event_ids on false'",
    mustFail: 'expires each due row, with an audit row and, if wanted, one event',
  },
  {
    ...STATEMENT,
    name: 'the webhook event of a payment that expires with others waits for its workflow',
    find: '}, 0)}',
    replace: '}, 60)}',
    mustFail: 'makes the event due for the webhook poller at once',
  },
  {
    ...STATEMENT,
    name: 'payments expire together before their deadline',
    find: 'const MAY_EXPIRE = `${IS_OVERDUE} and',
    replace: "const MAY_EXPIRE = `i.status = 'created' and",
    mustFail: 'expires nothing before the deadline, by the database’s clock',
  },
  {
    ...STATEMENT,
    name: 'payments of any status expire together',
    find: 'const MAY_EXPIRE = `${IS_OVERDUE} and',
    replace: 'const MAY_EXPIRE = `i.expires_at <= clock.now and',
    mustFail: 'expires no payment that is captured',
  },
  {
    ...STATEMENT,
    name: 'a payment that needs attention expires with others',
    find: ' and i.attention_since is null',
    replace: '',
    mustFail: 'leaves a row that needs attention to its workflow',
  },
  {
    name: 'a confirm past the deadline leaves the payment created until the next try',
    file: 'workflows/payment-intent.ts',
    find: 'else if (Date.now() >= payment.input.expiresAtMs) deadline.dueAtMs = Date.now();',
    replace: '',
    tests: ['test/workflows/restore-stop.test.ts'],
    mustFail: 'an intent expires at the first confirm after the stop, if not before',
  },
  {
    ...STATEMENT,
    name: 'the batch statement waits for a row that another transaction holds',
    find: '${MAY_EXPIRE}\n       for no key update of i skip locked',
    replace: '${MAY_EXPIRE}\n       for no key update of i',
    mustFail: 'skips a row that another transaction has locked, without waiting',
  },
  {
    ...STATEMENT,
    name: 'two pollers claim the same payments',
    find: "set check_at = clock.now + interval '${String(CLAIM_LEASE_SECONDS)} s'",
    replace: 'set check_at = clock.now',
    mustFail: 'by one poller at a time: a claimed row is left out for thirty seconds',
  },
  {
    ...POLLER,
    name: 'a payment expires by its row alone although its workflow has confirmed it',
    find: 'workflow.historyLength === EVENTS_WHILE_ASLEEP',
    replace: 'workflow.historyLength >= EVENTS_WHILE_ASLEEP',
    mustFail: 'expires no payment whose open workflow has confirmed it: Postgres has lost that',
  },
  {
    ...POLLER,
    name: 'a payment expires by its row alone although its workflow has completed',
    find: 'if (isOpen && workflow.historyLength',
    replace: 'if ((!isOpen && workflow !== undefined) || workflow?.historyLength',
    mustFail: 'expires no payment whose workflow has completed: Postgres has lost what that did',
  },
  {
    file: 'src/temporal/payment-start.ts',
    name: 'the workflows of payments with one deadline all wake at the deadline',
    find: 'untilDeadlineMs + Math.floor(adoptedAfterMs)',
    replace: 'untilDeadlineMs + Math.floor(adoptedAfterMs * 0)',
    tests: POLLER.tests,
    mustFail:
      'leaves workflows asleep that wake at different times: none within a minute of the deadline, none later than ten',
  },
];
