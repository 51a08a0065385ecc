// Mistakes about which attempt at a payout may send, and whether it queries the provider first.
import type { TestMutation } from './mutation';

export const ATTEMPT_MISTAKES: readonly TestMutation[] = [
  {
    name: 'an attempt sends while another may still be on its way',
    file: 'src/postgres/payout-journal.ts',
    find: 'const MAY_SEND = `${IS_FREE} and',
    replace: 'const MAY_SEND = `',
    tests: ['test/postgres/payout-journal.test.ts'],
    mustFail: 'that begins 15.999 s after one that has not ended may send: false',
  },
  {
    name: 'an attempt that may only query puts off the end of the one that may send',
    file: 'src/postgres/payout-journal.ts',
    find: 'last_sent_at = case when ${MAY_SEND} then excluded.last_sent_at else payouts.last_sent_at end',
    replace: 'last_sent_at = excluded.last_sent_at',
    tests: ['test/postgres/payout-journal.test.ts'],
    mustFail: 'that may only query leaves the time of the one that may send',
  },
  {
    name: 'an attempt that Temporal repeats is the first again once Postgres has lost its record',
    file: 'activities/payout.ts',
    find: 'nth === 1 &&',
    replace: 'nth > 0 &&',
    tests: ['test/activities/payout.test.ts'],
    mustFail: 'that Temporal counts as its second queries the provider first',
  },
  {
    name: 'a run that was reset does not ask what the run before it has sent',
    file: 'workflows/payment-intent.ts',
    find: ' && !isReset();',
    replace: ';',
    tests: ['test/simulate/life.test.ts'],
    mustFail: 'a run that was reset queries the provider before it sends',
  },
  {
    name: 'a first attempt does not query the provider while nothing watches over restores',
    file: 'src/postgres/payout-journal.ts',
    find: '${MAY_HAVE_FORGOTTEN} from',
    replace: 'i.must_ask_provider from',
    tests: ['test/postgres/payout-journal.test.ts'],
    mustFail: 'that begins 45 s after the last tick of the watch is a repeat',
  },
  {
    name: 'a late end of one attempt is taken for the end of another',
    file: 'src/postgres/payout-journal.ts',
    find: 'where intent_id = $1 and sending_attempt = $2`',
    replace: 'where intent_id = $1 and coalesce(sending_attempt = $2, true) is not null`',
    tests: ['test/postgres/payout-journal.test.ts'],
    mustFail: 'may send once the one that could has ended, and no other one ends it',
  },
  {
    name: 'a payment is cancelled unasked while nothing watches over restores',
    file: 'src/postgres/transition-parts.ts',
    find: 'or not ${MAY_HAVE_FORGOTTEN})',
    replace: 'or not i.must_ask_provider)',
    tests: ['test/postgres/payout-journal.test.ts'],
    mustFail: 'while the watch does not tick waits for the word of the provider',
  },
];
