// Mistakes about which attempt at a payout may send, and whether it queries the provider first.
import type { TestMutation } from '../mutation';

export const ATTEMPT_MISTAKES: readonly TestMutation[] = [
  {
    name: 'a sending is recorded while another may still be on its way',
    file: 'src/postgres/payouts/journal.ts',
    find: 'and ${IS_OPEN} and ${IS_QUIET}',
    replace: 'and ${IS_OPEN}',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'a later sending 5.999 s after the one before is recorded: false',
  },
  {
    name: '"unknown key" counts although the query came before an earlier sending was over',
    file: 'activities/payout.ts',
    find: '!attempt.isQuiet || ',
    replace: '',
    tests: ['test/activities/payout.test.ts'],
    mustFail: 'sends nothing when it queried before an earlier sending was over',
  },
  {
    name: 'an attempt sends although another has begun since',
    file: 'src/postgres/payouts/journal.ts',
    find: 'p.attempts = $4',
    replace: 'p.attempts >= $4',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'is not recorded once another attempt has begun since',
  },
  {
    name: 'a run that was reset does not ask what the run before it has sent',
    file: 'workflows/payment-intent.ts',
    find: ' && !isReset();',
    replace: ';',
    tests: ['test/simulate/life.test.ts'],
    mustFail: 'a run that was reset queries the provider before it cancels',
  },
  {
    name: 'a first sending without a query while nothing watches over restores',
    file: 'src/postgres/payouts/journal.ts',
    find: 'not ${MAY_HAVE_FORGOTTEN}',
    replace: 'not i.must_query_provider',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: '45 s after the last tick of the watch is undefined',
  },
  {
    name: 'sent at once although the rows may have forgotten a sending that is on its way',
    file: 'activities/payout.ts',
    find: 'return mayHaveBeenSent && ',
    replace: 'return !mayHaveBeenSent && ',
    tests: ['test/activities/payout.test.ts'],
    mustFail: 'sends nothing for 6 s where the rows may have forgotten a sending',
  },
  {
    name: 'a payment is cancelled unasked while nothing watches over restores',
    file: 'src/postgres/intents/transition-parts.ts',
    find: 'not ${MAY_HAVE_FORGOTTEN})`',
    replace: 'not i.must_query_provider)`',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'while the watch does not tick waits for the word of the provider',
  },
  {
    name: 'a task that is repeated after a heartbeat sends without a query',
    file: 'src/postgres/payouts/journal.ts',
    find: '     and d.created_at >= service_now()',
    replace: '     and d.created_at <= service_now()',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: '2.001 s after its debit is undefined',
  },
];
