// Mutations of payouts through a slow or silent provider: its corridor holds more than its share,
// orders leave although none is answered, or a first attempt sends what may have been sent before.
import type { Mutation } from '../mutation';

const HEALTH = ['test/domain/payouts/provider-health.test.ts'] as const;
const ATTEMPTS = ['test/postgres/payouts/attempts.test.ts'] as const;
const WAITS = ['test/activities/payout-waits.test.ts'] as const;

export const SLOW_PROVIDER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'the breaker never opens',
    file: 'src/domain/payouts/provider-health.ts',
    find: 'isOpen ||= isDue;',
    replace: '',
    tests: HEALTH,
    mustFail: 'after 20 unanswered first attempts from 5 payers is open: true',
  },
  {
    name: 'one payer opens the breaker',
    file: 'src/domain/payouts/provider-health.ts',
    find: ' && payers.size >= BREAKER_PAYERS_MIN',
    replace: '',
    tests: HEALTH,
    mustFail: 'after 200 unanswered first attempts from 1 payers is open: false',
  },
  {
    name: 'an open breaker lets each order through',
    file: 'src/domain/payouts/provider-health.ts',
    find: 'if (elapsedMs() - probedAtMs < BREAKER_PROBE_EVERY_MS) return false;',
    replace: '',
    tests: HEALTH,
    mustFail: 'that is open lets one first order a second through',
  },
  {
    name: 'payments wait in their tasks for a provider that was slow',
    file: 'src/domain/payouts/provider-health.ts',
    find: '!isFast || ',
    replace: '',
    tests: HEALTH,
    mustFail: 'after an order that took 3500 ms is taken: false',
  },
  {
    name: 'the answer to a query does not close the breaker',
    file: 'src/main/worker/payout-providers.ts',
    find: "answer.outcome !== 'unknown', isOrder",
    replace: "answer.outcome !== 'unknown' && isOrder, isOrder",
    tests: WAITS,
    mustFail: 'a payout that has begun is queried, and the answer closes the breaker',
  },
  {
    name: 'a payout begins without consulting the breaker',
    file: 'activities/payout-sending.ts',
    find: 'begin(!health.isBreakerOpen())',
    replace: 'begin(true)',
    tests: WAITS,
    mustFail: 'a payout that has not begun is delayed, not sent, and tried again',
  },
  {
    name: 'a payout that cannot be recorded keeps its slot',
    file: 'activities/payout.ts',
    find: 'return await sendFirst(request, dependencies);\n      } finally {',
    replace:
      'return await sendFirst(request, dependencies);\n      } catch { throw new Error(); }\n      {',
    tests: WAITS,
    mustFail: 'releases its slot when it cannot be recorded',
  },
  {
    name: 'an attempt is the first although its debit is old',
    file: 'src/postgres/payouts/journal.ts',
    find: 'join ${DEBIT} and ${IS_DEBIT_NEW}\n            where',
    replace: 'join ${DEBIT}\n            where',
    tests: ATTEMPTS,
    mustFail: 'that begins 2.001 s after the debit is the first for certain: false',
  },
  {
    name: 'an attempt is the first although Postgres may have lost another',
    file: 'src/postgres/payouts/journal.ts',
    find: ' and not ${MAY_HAVE_LOST_COMMITS}) as',
    replace: ') as',
    tests: ATTEMPTS,
    mustFail: 'is not the first for certain if the restore watch is silent',
  },
  {
    name: 'an attempt is the first although another has begun',
    file: 'src/postgres/payouts/journal.ts',
    find: 'attempts = 1 and exists (',
    replace: 'exists (',
    tests: ATTEMPTS,
    mustFail: 'after a first sending is no first attempt, a moment after the debit',
  },
  {
    name: 'an attempt is the first although its workflow may have sent the payout',
    file: 'activities/payout-sending.ts',
    find: 'attempt.isFirst && !request.mayHaveBeenSent',
    replace: 'attempt.isFirst',
    tests: WAITS,
    mustFail: 'queries if an earlier request may have been forgotten',
  },
  {
    name: 'all corridors share their connections',
    file: 'src/main/worker/outbounds.ts',
    find: 'providers: byCorridor(provider),',
    replace: 'providers: ((one) => byCorridor(() => one))(provider()),',
    tests: ['test/main/outbounds.test.ts'],
    mustFail: 'a corridor whose calls all wait leaves another its connections',
  },
  {
    name: 'the calls to all providers share a queue',
    file: 'workflows/messages/messages.ts',
    find: 'return `payouts-${corridor}`;',
    replace: 'return `payouts-${corridor.slice(2)}`;',
    tests: ['test/workflows/breaker.test.ts'],
    mustFail: 'calls its provider on the queue of its corridor',
  },
  {
    name: 'an order is written into a connection that the provider has closed',
    file: 'src/http/provider-outbound.ts',
    find: "socket.once('end', () => setImmediate(() => socket.destroy()));",
    replace: '',
    tests: ['test/http/provider-outbound.test.ts'],
    mustFail: 'uses no open connection that the other side has closed',
  },
];
