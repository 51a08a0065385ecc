// Choices with which simulated lives show a mutation soon (docs/simulation.md).
import type { Script } from '../simulate/run/choices';

/** With a readable timeline the provider is queried after each loss, which hides mutations. */
const UNREAD = { 'the timeline of Postgres': 'may not be read' };
const PUT_BACK = {
  'the backup of Postgres, by phase': 'created',
  'Postgres loses commits': 'put back 2 min later',
  ...UNREAD,
};
const TERMINATED = { 'while it waits': 'an operator terminates the workflow' };
const SILENT_AND_TERMINATED = { 'the provider': 'pays and is silent for 2 min', ...TERMINATED };
/** The restore happens between two ticks of the restore watch, which therefore cannot notice it. */
const restoredTo = (phase: string) => ({
  'the backup of Postgres, by phase': phase,
  'Postgres loses commits': 'put back 5 s later',
  ...UNREAD,
});
const RESOLVED_FALSELY = { 'while it waits': 'an operator resolves a paid payout as declined' };
const RESOLVED_AND_TERMINATED = {
  'the provider': 'pays and is silent for 2 min',
  ...RESOLVED_FALSELY,
  'the worker, where recordTransition ends #2': 'an operator terminates the workflow',
};
/** The order is lost, and a failover loses its record. */
const UNSENT_AND_CANCELLED = {
  'provider.pay #1': 'it is not reached',
  'the backup of Postgres, by phase': 'authorized',
  'Postgres loses commits': 'a failover 5 s later',
  ...UNREAD,
  'while it waits': 'the partner cancels',
};
const AT_ITS_DEADLINE = { 'the story': 'it is confirmed at its deadline' };
const lostAnswers = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'its answer is lost']));

/** By the name of the mutation: choices of all its lives. The other choices are drawn. */
export const SHOWN_WITH: Readonly<Record<string, Script>> = {
  'a payment is cancelled without a provider query while the restore watch does not tick': {
    ...PUT_BACK,
    ...SILENT_AND_TERMINATED,
  },
  'a worker that was delayed after its record still sends': {
    'the worker, where provider.pay begins #1': 'the worker freezes for 6 s',
    'statement begin-payout-attempt #1': 'its clock jumps to 1.5 s ahead',
  },
  'a payout is resolved as declined while the provider is unreachable although it had accepted it':
    {
      'the provider': 'reports another amount',
      ...RESOLVED_FALSELY,
      'provider.find #1': 'its answer is lost',
    },
  'a payout is resolved as declined although the provider says paid': {
    ...lostAnswers('provider.pay #1'),
    ...lostAnswers(...[1, 2, 3, 4].map((nth) => `provider.find #${String(nth)}`)),
    'the worker, where set-attention ends #1': 'an operator resolves a paid payout as declined',
  },
  'a payout is resolved as declined while a sending may still arrive': {
    'the provider': 'executes at the last moment',
    'provider.pay #1': 'it is not reached',
    'provider.pay #2': 'it is not reached',
    'provider.pay #3': 'it is not reached',
    'the worker, where provider.pay begins #4':
      'an operator resolves the payout as the provider did',
  },
  'a manual resolution schedules no recheck with its transition': RESOLVED_AND_TERMINATED,
  'a silent provider counts as one that has no such payout': {
    ...PUT_BACK,
    ...SILENT_AND_TERMINATED,
    ...lostAnswers(...[8, 9, 10, 11, 12].map((nth) => `provider.find #${String(nth)}`)),
  },
  'a restored Postgres passes the tick check': PUT_BACK,
  'a stop for a restore is lifted without the restore option': {
    payouts: 'stopped for 5 min',
    ...PUT_BACK,
  },
  'a workflow without a row does not stop payouts': restoredTo('unwritten'),
  'a loss that operators have resolved stops payouts again': {
    'the backup of Postgres, by phase': 'unwritten',
    'Postgres loses commits': 'a failover 5 s later',
    ...UNREAD,
    'created again after a loss': 'as it was',
    'created again': '400 s later',
  },
  'an intent expires during a stop for a restore': { ...PUT_BACK, ...SILENT_AND_TERMINATED },
  'an authorized payment is cancelled during a stop for a restore': UNSENT_AND_CANCELLED,
  'an authorized payment is cancelled without a provider query after lost commits':
    UNSENT_AND_CANCELLED,
  'a payment expires by its row alone although its workflow has completed': {
    'the backup of Postgres, by phase': 'created',
    'Postgres loses commits': 'by chance',
    ...UNREAD,
    'statement answer-confirm #1': 'Postgres is put back to the backup, workers too',
  },
  'readers say expired for a payment that a stop for a restore holds up': {
    'the backup of Postgres, by phase': 'created',
    'Postgres loses commits': 'a failover 5 s later',
    ...UNREAD,
  },
  'an intent expires although the provider may have the payout': { ...PUT_BACK, ...TERMINATED },
  'a start does not notice that the workflow is older than its row': restoredTo('unwritten'),
  'a payment whose row has returned unchanged waits for operators for ever': {
    'the backup of Postgres, by phase': 'unwritten',
    'Postgres loses commits': 'a failover 2 min later',
    ...UNREAD,
    'created again after a loss': 'operators put its rows back',
  },
  'attention that Postgres has lost is not written again': restoredTo('paying'),
  'a terminal status without payout does not wait for a payout attempt that is being recorded':
    RESOLVED_AND_TERMINATED,
  'a token authorizes although Postgres has lost its scanned code': {
    'the backup of Postgres, by phase': 'created',
    'statement transition: created authorize #1': 'a failover loses what came after the backup',
  },
  'an intent is authorized after its deadline': AT_ITS_DEADLINE,
  'a confirm signal without an operator confirms': {
    'the backup of Postgres, by phase': 'attention',
    'the story': 'it is never confirmed',
    'the worker, where a workflow task begins #2': 'a confirm comes without token and operator',
  },
  'payments expire together before their deadline': { 'the story': 'it is never confirmed' },
  'an existing debit is ignored': {
    'the debit': 'alone',
    'statement debit #1': 'it commits and its answer is lost',
  },
  'a confirm after the deadline is debited': AT_ITS_DEADLINE,
};
