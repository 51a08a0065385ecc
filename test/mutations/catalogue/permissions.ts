// Mutations of what a provider's answer permits (decision 150).
import type { Mutation } from '../mutation';

const FILE = 'src/domain/payouts/permissions.ts';
const JOURNAL = 'src/postgres/payouts/journal.ts';
const TABLE = ['test/domain/payouts/permissions.test.ts'] as const;
const ACTIVITY = ['test/activities/payout-permissions.test.ts'] as const;
const ROWS = ['test/postgres/payouts/journal.test.ts'] as const;

export const PERMISSION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an order is repeated at a provider that might pay it twice',
    file: FILE,
    find: "send: !isOver && abilities.repeat !== 'unsafe',",
    replace: 'send: !isOver,',
    tests: TABLE,
    mustFail:
      'after a request without an answer not_found with {} and {}: send false, release false',
  },
  {
    name: 'silence permits the first order at a provider that might pay it twice',
    file: FILE,
    find: "(!findsByKey && repeat !== 'unsafe')",
    replace: '!findsByKey',
    tests: ACTIVITY,
    mustFail: 'to a provider that might pay twice, and cannot be queried by key',
  },
  {
    name: 'silence permits the first order at a provider that can be queried by key',
    file: FILE,
    find: "(!findsByKey && repeat !== 'unsafe')",
    replace: "repeat !== 'unsafe'",
    tests: ACTIVITY,
    mustFail: 'to a provider that can be queried by key: {} sends 0',
  },
  {
    name: 'a denial releases the debit although it is no proof',
    file: FILE,
    find: 'release: abilities.notFoundIsProof ||',
    replace: 'release: true ||',
    tests: TABLE,
    mustFail:
      'after a request without an answer not_found with {} and {}: send false, release false',
  },
  {
    name: 'one decline releases the debit although it may be revoked',
    file: FILE,
    find: 'return abilities.declineIsFinal || (isRepeated && isQuiet);',
    replace: 'return true;',
    tests: ACTIVITY,
    mustFail: 'a decline that may be revoked ends the payment if it is repeated 6 s later',
  },
  {
    name: 'an order is sent after the provider has declined it',
    file: FILE,
    find: 'return isAccepted || declinedMs !== null;',
    replace: 'return isAccepted;',
    tests: TABLE,
    mustFail: 'after a request without an answer not_found with {"declinedMs":60000}',
  },
  {
    name: 'an order is sent again although the provider has accepted it, if it denies that later',
    file: FILE,
    find: 'return isAccepted || declinedMs !== null;',
    replace: 'return declinedMs !== null;',
    tests: TABLE,
    mustFail: 'after a request without an answer not_found with {"isAccepted":true}',
  },
  {
    name: 'an order is sent again whatever it was refused for',
    file: FILE,
    find: 'return isLate || !PASSING_CODES.includes(refusedAs);',
    replace: 'return isLate;',
    tests: ACTIVITY,
    mustFail: 'with a code that does not pass is never sent again, and ends by two denials',
  },
  {
    name: 'a refused order is sent again without end',
    file: FILE,
    find: 'return isLate || ',
    replace: 'return ',
    tests: ACTIVITY,
    mustFail:
      'for too little balance is sent again from 6 s on, for a minute, and then ends unpaid',
  },
  {
    name: 'a refusal speaks for an earlier order that was left without an answer',
    file: FILE,
    find: 'requests === refusals && !mayBeForgotten',
    replace: '!mayBeForgotten',
    tests: ACTIVITY,
    mustFail: 'does not end by its refusal if an earlier order was left without an answer',
  },
  {
    name: 'a refusal speaks for an order that Postgres may have lost',
    file: FILE,
    find: 'requests === refusals && !mayBeForgotten',
    replace: 'requests === refusals',
    tests: TABLE,
    mustFail: 'with {"requestedMs":60000,"mayBeForgotten":true} and {"refusalIsFinal":true}',
  },
  {
    name: 'one denial ends a payment whose order was refused',
    file: 'activities/payout-sending.ts',
    find: 'const again = await denyAgain(payout, dependencies);',
    replace: 'const again = known;',
    tests: ACTIVITY,
    mustFail: 'with a code that does not pass is never sent again, and ends by two denials',
  },
  {
    name: 'an order that is there already counts as one without an answer',
    file: JOURNAL,
    find: "when $answer in ('declined', 'unpaid') then",
    replace: "when $answer in ('declined', 'unpaid', 'duplicate') then",
    tests: ACTIVITY,
    mustFail: 'an order that is there already is accepted: it is never sent again',
  },
  {
    name: 'a denial ends a payment that an earlier attempt found accepted meanwhile',
    file: 'src/postgres/intents/transition-parts.ts',
    find: ' and (p.accepted_at is null or p.declined_at is not null)',
    replace: '',
    tests: ['test/postgres/payouts/attempts.test.ts'],
    mustFail:
      'does not end unpaid by a denial if an earlier attempt records an acceptance meanwhile',
  },
  {
    name: 'the row permits an order that was declined',
    file: JOURNAL,
    find: ' and p.declined_at is null',
    replace: '',
    tests: ROWS,
    mustFail: 'is not recorded once the provider has declined',
  },
  {
    name: 'the row permits an order that was refused for good',
    file: JOURNAL,
    find: 'and (p.refused_as is null or p.refused_as = any ($8)) ',
    replace: 'and $5::text[] is not null ',
    tests: ROWS,
    mustFail: 'is not recorded once the provider has refused it for good',
  },
  {
    name: 'a payout that was returned is resolved as declined only by force',
    file: 'activities/resolution.ts',
    find: " || outcome === 'returned') return null;",
    replace: ') return null;',
    tests: ['test/faults/verified-resolutions.test.ts'],
    mustFail: 'is accepted when the provider says returned',
  },
  {
    name: 'a denial that is no proof permits a resolution as declined',
    file: 'activities/resolution.ts',
    find: "return outcome === 'unknown' ? SILENT : NO_PROOF;",
    replace: "return outcome === 'unknown' ? SILENT : null;",
    tests: ['test/faults/verified-resolutions.test.ts'],
    mustFail: 'is rejected if the provider does not know the key, and that is no proof',
  },
  {
    name: 'a 422 of a gateway counts as a refusal',
    file: 'src/providers/http/provider.ts',
    find: 'if (!answer.success || answer.data.key !== key) return undefined;',
    replace: 'if (!answer.success) return undefined;',
    tests: ['test/providers/http/refusals.test.ts'],
    mustFail: 'a refusal about another key is unknown',
  },
  {
    name: 'a decline that may be revoked ends the recheck of a resolution',
    file: 'activities/resolution.ts',
    find: "return resolvedAs !== 'paid' && !declineIsFinal;",
    replace: 'return false;',
    tests: ['test/simulate/life.test.ts'],
    mustFail: 'danger: an operator who says declined, as the provider does for 3 s',
  },
];
