// Mutations that believe Temporal where our rows hold no proof (decision 145).
import type { Mutation } from '../mutation';

const LIVE = ['test/faults/live/forged-results.test.ts'] as const;
const FORGED = ['test/workflows/forged-results.test.ts'] as const;
const STATEMENTS = 'src/postgres/intents/transition-statements.ts';

const GUARDED = [
  ['is authorized', STATEMENTS, "'not is_workflow_gone'"],
  ['is debited', 'src/postgres/ledger/holding-account.ts', 'and not is_workflow_gone'],
  ['is sent', 'src/postgres/payouts/journal.ts', 'and not i.is_workflow_gone'],
] as const;

export const PROOF_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a capture needs no answer of the provider in our rows',
    file: STATEMENTS,
    find: "'$is_paid::boolean is true'",
    replace: "'true'",
    tests: LIVE,
    mustFail: 'stays authorized although Temporal says {"outcome":"paid"}',
  },
  {
    name: 'a failure needs no answer of the provider in our rows',
    file: STATEMENTS,
    find: "isProven('declined', HAD_TOO_LITTLE",
    replace: "isProven('declined', 'true'",
    tests: LIVE,
    mustFail: 'stays authorized although Temporal says {"outcome":"declined"}',
  },
  {
    name: 'a payment that the provider was not asked about fails as declined',
    file: STATEMENTS,
    find: "($reason = '${INSUFFICIENT_FUNDS}' and ${IS_UNPAID})",
    replace: '(${IS_UNPAID})',
    tests: FORGED,
    mustFail: 'a forged "declined" of a payout that was not begun fails nothing',
  },
  ...GUARDED.map(([what, file, find]): Mutation => ({
    name: `a payment whose workflow is gone ${what}`,
    file,
    find,
    replace: find.replace('not ', 'true or not '),
    tests: ['test/postgres/intents/raised-attention.test.ts'],
    mustFail: `workflow_gone: ${what.replace('is', 'is not')}`,
  })),
  {
    name: 'a workflow adopts the capture that the result of an activity names',
    file: 'workflows/settlement.ts',
    find: "case 'paid':\n",
    replace:
      "case 'paid':\n      if ('captured' in payout) adopt(payment, payout.captured as never);\n",
    tests: LIVE,
    mustFail: 'stays authorized although Temporal says {"outcome":"paid","captured"',
  },
  {
    name: 'a payable row is taken for a contradiction if Temporal says not authorized',
    file: 'workflows/settlement.ts',
    find: 'if (row.isPayable || isBack) return;',
    replace: 'if (isBack) return;',
    tests: LIVE,
    mustFail: 'stays authorized although Temporal says {"outcome":"not_authorized"}',
  },
  {
    name: 'a cancel needs no answer to its own query',
    file: 'src/postgres/intents/transition-parts.ts',
    find: 'else i.unpaid_by_query is not distinct from $query_id end',
    replace: 'else true end',
    tests: FORGED,
    mustFail: 'cancels nothing while the provider says paid',
  },
  {
    name: 'a resolution needs no record of payctl',
    file: STATEMENTS,
    find: 'else exists (\n         select from payout_resolutions',
    replace: 'else true or exists (\n         select from payout_resolutions',
    tests: FORGED,
    mustFail: 'as paid is not written unless payctl recorded it',
  },
  {
    name: 'a resolution is verified although payctl did not record that the provider is gone',
    file: 'src/postgres/payouts/resolutions.ts',
    find: 'and is_provider_gone = $5',
    replace: 'and $5::boolean is not null',
    tests: FORGED,
    mustFail: 'with another word about the provider than payctl recorded is not written',
  },
  {
    name: 'a workflow can put the answer of the provider into its command',
    file: 'src/postgres/intents/store.ts',
    find: '{ ...command, isPaid: false }',
    replace: 'command',
    tests: ['test/postgres/intents/transition.test.ts'],
    mustFail: 'captures nothing because the command says that it is paid',
  },
  {
    name: 'an attempt keeps the answer to the attempt before',
    file: 'src/postgres/payouts/journal.ts',
    find: ', answer = null',
    replace: '',
    tests: ['test/postgres/payouts/attempts.test.ts'],
    mustFail: 'removes the answer to the attempt before',
  },
  {
    name: 'the answer to an earlier attempt replaces a later one',
    file: 'src/postgres/payouts/journal.ts',
    find: 'case when attempts = $number then $answer else answer end',
    replace: 'case when attempts >= $number then $answer else answer end',
    tests: ['test/postgres/payouts/attempts.test.ts'],
    mustFail: 'whose answer comes after the next one began decides nothing',
  },
];
