// Mutations of the checks before the first order (decision 154), and of ids that operators name.
import type { Mutation } from '../mutation';

const CHECKS = 'activities/payout-checks.ts';
const SENDING = 'activities/payout-sending.ts';
const PAYABLE = 'api/intents/payable.ts';
const ORDERS = ['test/activities/payout-checks.test.ts'] as const;
const CONFIRMS = ['test/api/intents/payable.test.ts'] as const;
const ROWS = ['test/postgres/payouts/terms.test.ts'] as const;

export const CHECK_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an order in the payee’s currency is sent within a task, unchecked',
    file: 'activities/payout.ts',
    find: 'needsLocal || !health.takeTaskSlot()',
    replace: '!health.takeTaskSlot()',
    tests: ORDERS,
    mustFail: 'an order whose cost is within the bounds is sent after one inquiry',
  },
  {
    name: 'an order may cost more than its bound',
    file: CHECKS,
    find: 'cents < minUsdCents || cents > maxUsdCents',
    replace: 'cents < minUsdCents',
    tests: ORDERS,
    mustFail: 'a cost above the bound by less than a cent ends the payment unsent',
  },
  {
    name: 'a code that costs a fraction of the payment is paid',
    file: CHECKS,
    find: 'cents < minUsdCents || cents > maxUsdCents',
    replace: 'cents > maxUsdCents',
    tests: ORDERS,
    mustFail: 'a cost far below the payment ends the payment unsent',
  },
  {
    name: 'an inquiry about another amount counts',
    file: CHECKS,
    find: "if (!isSame) return failed('amount_differs');",
    replace: '',
    tests: ORDERS,
    mustFail: 'another amount ends the payment unsent',
  },
  {
    name: 'an order whose cost nobody says is sent',
    file: CHECKS,
    find: "return open('the provider does not say what it costs')",
    replace: 'return PASSED',
    tests: ORDERS,
    mustFail: 'no cost is inquired again, and the order is sent once the cost is known',
  },
  {
    name: 'a refusal that passes ends the payment',
    file: CHECKS,
    find: "[...PASSING_CODES, 'other'].includes(answer.code)",
    replace: "answer.code === 'other'",
    tests: ORDERS,
    mustFail:
      'a refusal that passes is inquired again, and the order is sent once the cost is known',
  },
  {
    name: 'a failed check ends a payment after a forgotten request',
    file: SENDING,
    find: 'record.requests === 0 && !record.mayBeForgotten',
    replace: 'record.requests === 0',
    tests: ORDERS,
    mustFail: 'a row that may have forgotten a request does not end by a failed check',
  },
  {
    name: 'a failed check is recorded beside a request',
    file: 'src/postgres/payouts/journal.ts',
    find: 'not $is_unsent or (requests = 0 and',
    replace: 'not $is_unsent or (',
    tests: ROWS,
    mustFail: 'is not recorded of a payout that was requested',
  },
  {
    name: 'a failed check is recorded although a request may be forgotten',
    file: 'src/postgres/payouts/journal.ts',
    find: 'and not (select ${MAY_HAVE_LOST_COMMITS} from payment_intents i\n                                       where i.intent_id = p.intent_id)))`',
    replace: '))`',
    tests: ROWS,
    mustFail: 'is not recorded where a request may be forgotten',
  },
  {
    name: 'a worker authorizes an amount above the maximum',
    file: 'activities/intents.ts',
    find: 'maximumUsdCents: maximum,',
    replace: '',
    tests: ['test/activities/intents.test.ts'],
    mustFail: 'an amount above the maximum of the corridor is not authorized',
  },
  {
    name: 'card numbers are paid',
    file: PAYABLE,
    find: '!payeeKinds.includes(kindOf(code.payee))',
    replace: 'false',
    tests: CONFIRMS,
    mustFail: 'of a payee that is no allowed kind is 400',
  },
  {
    name: 'a code with an amount is accepted where none is',
    file: PAYABLE,
    find: 'code.amountMinorUnits !== null && !isCodeAmountAllowed',
    replace: 'false',
    tests: CONFIRMS,
    mustFail: 'with an amount is 400 where none is accepted',
  },
  {
    name: 'a provider that needs an amount gets a code without one',
    file: PAYABLE,
    find: 'needsLocal[corridor] && (code?.amountMinorUnits ?? null) === null',
    replace: 'needsLocal[corridor] && code === undefined',
    tests: CONFIRMS,
    mustFail: 'that is without an amount is 400 where the provider needs an amount',
  },
  {
    name: 'an operator replaces the id that the provider has named',
    file: 'src/postgres/payouts/references.ts',
    find: 'and p.reference is null',
    replace: '',
    tests: ['test/ops/intents/reference.test.ts'],
    mustFail: 'is not the id that the provider has named, and replaces none',
  },
  {
    name: 'a failed check ends a payment that the provider has not denied',
    file: SENDING,
    find: "mayRelease && known.answer.outcome === 'not_found'",
    replace: 'mayRelease',
    tests: ORDERS,
    mustFail: 'ends a payment only if the provider denies the key too, once it is no first attempt',
  },
  {
    name: 'a payment after a return counts as returned',
    file: 'src/postgres/reports/reconcile-books.ts',
    find: '>= greatest(1, count(*) filter (where not s.is_returned) over of_key)',
    replace: '>= 1',
    tests: ['test/ops/ledger/reconcile-returns.test.ts'],
    mustFail: 'and was paid again is no return: the payee has it (captured)',
  },
];
