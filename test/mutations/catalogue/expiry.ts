// Mistakes about payments that are expired many at a time (record 132).
import type { TestMutation } from '../mutation';

const STATEMENT = {
  file: 'src/postgres/intents/expiry.ts',
  tests: ['test/postgres/intents/expiry.test.ts'],
} as const;
const POLLER = {
  file: 'src/temporal/deadline-poller.ts',
  tests: ['test/temporal/deadline-poller.test.ts'],
} as const;

export const EXPIRY_MISTAKES: readonly TestMutation[] = [
  {
    ...STATEMENT,
    name: 'payments expired together have no history row',
    find: "'system' from moved m, clock",
    replace: "'system' from moved m, clock where false",
    mustFail:
      'expires each row that is due, with one history row and one event where one is wanted',
  },
  {
    ...STATEMENT,
    name: 'payments expired together write no webhook event',
    find: "'moved m join asked using (intent_id)'",
    replace: "'moved m join asked on false'",
    mustFail:
      'expires each row that is due, with one history row and one event where one is wanted',
  },
  {
    ...STATEMENT,
    name: 'the webhook event of a payment expired with others waits for its workflow',
    find: '}, 0)}',
    replace: '}, 60)}',
    mustFail: 'has the outbox poller deliver the event at once, since the workflow sleeps on',
  },
  {
    ...STATEMENT,
    name: 'payments are expired together before their deadline',
    find: 'const MAY_EXPIRE = `${IS_OVERDUE} and',
    replace: "const MAY_EXPIRE = `i.status = 'created' and",
    mustFail: 'moves nothing before the deadline, by the clock of the database',
  },
  {
    ...STATEMENT,
    name: 'payments are expired together whatever their status',
    find: 'const MAY_EXPIRE = `${IS_OVERDUE} and',
    replace: 'const MAY_EXPIRE = `i.expires_at <= clock.now and',
    mustFail: 'moves nothing that is captured',
  },
  {
    ...STATEMENT,
    name: 'a payment that needs people is expired with others',
    find: ' and i.attention_since is null',
    replace: '',
    mustFail: 'leaves a row that needs people to its workflow',
  },
  {
    ...STATEMENT,
    name: 'the statement for many waits for a row that another transaction holds',
    find: '${MAY_EXPIRE}\n       for no key update of i skip locked',
    replace: '${MAY_EXPIRE}\n       for no key update of i',
    mustFail: 'skips a row that another transaction holds, and does not wait for it',
  },
  {
    ...STATEMENT,
    name: 'two pollers claim the same payments',
    find: "set check_at = clock.now + interval '${String(CLAIM_LEASE_SECONDS)} s'",
    replace: 'set check_at = clock.now',
    mustFail: 'by one poller at a time: a claimed row is left alone for thirty seconds',
  },
  {
    ...POLLER,
    name: 'a payment is expired by its row alone, although its workflow has confirmed it',
    find: 'workflow.historyLength === EVENTS_OF_A_SLEEPER',
    replace: 'workflow.historyLength >= EVENTS_OF_A_SLEEPER',
    mustFail: 'expires no payment whose open workflow has confirmed it: Postgres has lost that',
  },
  {
    ...POLLER,
    name: 'a payment is expired by its row alone, although its workflow has completed',
    find: 'if (isOpen && workflow.historyLength',
    replace: 'if (!isOpen || workflow.historyLength',
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
