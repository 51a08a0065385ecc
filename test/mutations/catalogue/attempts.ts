// Mutations of which payout attempt may send, and whether it queries the provider first.
import type { TestMutation } from '../mutation';

export const ATTEMPT_MUTATIONS: readonly TestMutation[] = [
  {
    name: 'a sending is recorded while an earlier one may still arrive',
    file: 'src/postgres/payouts/journal.ts',
    find: 'and ${IS_UNLOCKED} and ${IS_QUIET}',
    replace: 'and ${IS_UNLOCKED}',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'a later sending 5.999 s after the previous one is recorded: false',
  },
  {
    name: '"unknown key" counts although an earlier sending could still arrive after the query',
    file: 'activities/payout.ts',
    find: '!attempt.isQuiet || ',
    replace: '',
    tests: ['test/activities/payout.test.ts'],
    mustFail: 'sends nothing when it queried while an earlier request could still arrive',
  },
  {
    name: 'an attempt sends although a later attempt has begun',
    file: 'src/postgres/payouts/journal.ts',
    find: 'p.attempts = $4',
    replace: 'p.attempts >= $4',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'is not recorded once another attempt has begun since',
  },
  {
    name: 'a reset workflow does not query what the run before the reset has sent',
    file: 'workflows/payment-intent.ts',
    find: ' && !isReset();',
    replace: ';',
    tests: ['test/simulate/life.test.ts'],
    mustFail: 'a workflow that was reset queries the provider before it cancels',
  },
  {
    name: 'a first sending skips the query while the restore watch does not tick',
    file: 'src/postgres/payouts/journal.ts',
    find: 'not ${MAY_HAVE_LOST_COMMITS} for share',
    replace: 'not i.must_query_provider for share',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: '45 s after the last tick of the restore watch is recorded: false',
  },
  {
    name: 'a payout is sent at once although restored rows may lack a sending that can still arrive',
    file: 'activities/payout.ts',
    find: 'return mayHaveBeenSent && ',
    replace: 'return !mayHaveBeenSent && ',
    tests: ['test/activities/payout.test.ts'],
    mustFail: 'sends nothing for 6 s if restored rows may not know a request',
  },
  {
    name: 'a payment is cancelled without a provider query while the restore watch does not tick',
    file: 'src/postgres/intents/transition-parts.ts',
    find: 'then not ${MAY_HAVE_LOST_COMMITS}',
    replace: 'then not i.must_query_provider',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: 'while the restore watch does not tick waits for the provider’s answer',
  },
  {
    name: 'a workflow task repeated after a heartbeat sends without a query',
    file: 'src/postgres/payouts/journal.ts',
    find: '`d.created_at >= service_now()',
    replace: '`d.created_at <= service_now()',
    tests: ['test/postgres/payouts/journal.test.ts'],
    mustFail: '2.001 s after its debit is recorded: false',
  },
];
