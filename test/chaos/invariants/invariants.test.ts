// The checkers find each violation that is made by hand, under the right invariant (architecture,
// section 8).
import type { Evidence, IntentFacts } from '../report/evidence';
import type { Answer } from '../actors/record';
import {
  AN_EXECUTION,
  aBody,
  aConfirm,
  aCreated,
  aFailedRow,
  anAnswer,
  anEvent,
  anEvidence,
  anOpenEvidence,
  anOpenRow,
  anUnpaidRow,
  aReceived,
  aRow,
  aWorkflow,
  aStatus,
  AUTHORIZED,
  CAPTURE,
  CAPTURED,
  FAILED,
  findingsOf,
  DEBIT,
  ID,
  RELEASE,
  violatedIn,
} from './evidence-of';

const row = (overrides: Partial<IntentFacts>) => anEvidence({ row: aRow(overrides) });
const transfers = (...list: IntentFacts['transfers']) => row({ transfers: list });
const answered = (...answers: readonly Answer[]) => anEvidence({ answers });
const got = (overrides: Partial<Answer>) => answered(anAnswer(overrides));
const confirmed = (overrides: Partial<Answer>) => answered(aConfirm(overrides));
const received = (...inbox: Evidence['inbox']) => anEvidence({ inbox });
const receivedAlso = (overrides: Partial<Evidence['inbox'][number]>, type = 'captured') =>
  received(aReceived(), aReceived(type, overrides));
const executed = (...journal: Evidence['journal']) => anEvidence({ journal });
const withWorkflows = (...workflows: Evidence['workflows']) => anEvidence({ workflows });
const ledger = (spoilt: Partial<Evidence['ledger']>) =>
  anEvidence({ ledger: { ...anEvidence().ledger, ...spoilt } });
const read = (spoilt: object) =>
  anEvidence({
    readings: new Map([...anEvidence().readings].map(([id, one]) => [id, { ...one, ...spoilt }])),
  });
const cancelledWith = (...answers: readonly Answer[]) =>
  anEvidence({
    row: anUnpaidRow('cancelled', 1_000_100, 'partner'),
    journal: [],
    inbox: [],
    answers,
  });
const aCancel = (overrides: Partial<Answer> = {}) =>
  anAnswer({ operation: 'cancel', text: aBody('cancelled'), ...overrides });
const conflicted = (overrides: Partial<Answer>) =>
  confirmed({ status: 409, text: '', ...overrides });
const toOperator = (
  operation: 'refund' | 'resolve paid',
  outcome: 'done' | 'rejected',
): Pick<Evidence, 'operatorAnswers'> => {
  const about = { operation, intentId: ID, actor: 'operator-1', outcome };
  return { operatorAnswers: [{ ...about, answeredAtMs: 1, text: '' }] };
};

/** Violations by invariant. */
const VIOLATIONS: Readonly<Record<string, Readonly<Record<string, Evidence>>>> = {
  'at most one debit and one payout per intent': {
    'two debits': transfers(DEBIT, DEBIT, CAPTURE),
    'two executions': executed(AN_EXECUTION, AN_EXECUTION),
    'an execution under another key': executed({ ...AN_EXECUTION, key: `${ID}:payout0.5` }),
    'captured and released': transfers(DEBIT, CAPTURE, RELEASE),
  },
  'a payout implies a debit': {
    'a payout without a debit': transfers(CAPTURE),
    'a payout whose debit was given back': anEvidence({
      row: aFailedRow(),
      journal: [AN_EXECUTION],
    }),
    'a payout of an unknown intent': executed(AN_EXECUTION, {
      ...AN_EXECUTION,
      key: 'pi_other:payout',
    }),
  },
  'a debit without a payout is released or needs attention': {
    'a failed payment keeps its debit': anEvidence({ row: aFailedRow({ transfers: [DEBIT] }) }),
    'an open payment without attention': anOpenEvidence({ ...anOpenRow(), attention: null }),
  },
  'a captured payment is paid out, and the ledger matches its status': {
    'captured, and nothing paid out': executed(),
    'captured in the row only': transfers(DEBIT),
  },
  'the ledger sums to zero': {
    'accounts do not sum to zero': ledger({ balances: new Map([['holding', 5]]), slotsCents: 5 }),
    'slots that differ from the holding account': ledger({ slotsCents: 1 }),
  },
  'amounts agree everywhere': {
    'a transfer of another amount': transfers({ ...DEBIT, cents: 1 }, CAPTURE),
    'an execution of another amount': executed({ ...AN_EXECUTION, amount_usd_cents: 1 }),
    'a workflow of another amount': withWorkflows(aWorkflow({ cents: 1 })),
  },
  'payctl ledger check: entries_sum_to_zero': {
    'a violation that payctl finds': ledger({
      checks: [{ name: 'entries_sum_to_zero', checked: 1, violations: 1, examples: [] }],
    }),
  },
  'every 201 names an intent that exists as answered': {
    'a 201 of an intent that does not exist': answered(aCreated({ intentId: 'pi_lost' })),
    'a 201 of another amount': answered(aCreated({ text: aBody('created', 1) })),
  },
  'every intent follows the transition table': {
    'an edge that the table does not have': row({
      transitions: [AUTHORIZED, FAILED, { ...CAPTURED, from: 'failed', atMs: 1_000_300 }],
    }),
    'a step left out': row({ transitions: [CAPTURED] }),
    'a status without its step': row({ transitions: [AUTHORIZED] }),
  },
  'every intent has a terminal status or needs attention': {
    'an open payment that operators need not resolve': anOpenEvidence(anOpenRow(1_250)),
  },
  'GET agrees with the row': {
    'GET with another status': read({ status: 'authorized' }),
    'GET without a status': read({ httpStatus: 404, status: undefined }),
  },
  'each settled or failed intent has its webhook, with one id': {
    'no webhook': received(),
    'a webhook under two ids': receivedAlso({ webhookId: 'evt_other' }),
    'a webhook under an id of its own': received(aReceived('captured', { webhookId: 'evt_other' })),
  },
  'a webhook is signed and reports what happened': {
    'an invalid signature': receivedAlso({ event: null, webhookId: 'evt_x' }),
    'a webhook of an event that did not happen': receivedAlso({ webhookId: 'evt_x' }, 'failed'),
    'a webhook to another partner': receivedAlso({ partnerId: 'saigon-rides' }),
  },
  'every webhook event is delivered in the end': {
    'a webhook that stays skipped': row({ events: [anEvent({ state: 'skipped' })] }),
  },
  'a webhook event has one attempt under way at a time': {
    'two attempts at one webhook event at once': row({
      events: [
        anEvent({ made: [0, 4].map((ms) => ({ fromMs: 1_000_220 + ms, toMs: 1_000_230 })) }),
      ],
    }),
  },
  'a webhook id always has the same body': {
    'one id with two bodies': receivedAlso({ body: 'other' }),
  },
  'no nonce is accepted twice': {
    'a nonce accepted twice': answered(anAnswer(), anAnswer({ status: 404, text: '' })),
  },
  'no jti is accepted twice': { 'a token answered twice': answered(aConfirm(), aConfirm()) },
  'an idempotency key has one intent and one answer': {
    'a key with two answers': answered(
      aCreated(),
      aCreated({ nonce: 'n2', text: `${aBody('created')} ` }),
    ),
  },
  'a create makes one intent': {
    'a create that made two intents': anEvidence({
      rows: new Map([ID, 'pi_2'].map((id) => [id, aRow()])),
    }),
  },
  'a signed request outside its time window is rejected': {
    'a clock six minutes ahead accepts it': got({ shiftMs: 360_000 }),
    'a clock six minutes behind accepts it': got({ shiftMs: -360_000 }),
  },
  '200 to GET was true': {
    'a GET with a status that never was': got({ text: aBody('failed') }),
    'a GET with a later status': got({ sentAtMs: 999_990, answeredAtMs: 1_000_010 }),
    'a GET with an outdated status': got({
      sentAtMs: 1_030_000,
      answeredAtMs: 1_030_010,
      text: aBody('authorized'),
    }),
  },
  '200 to the status page was true': {
    'a status page with a status that never was': answered(aStatus('failed')),
  },
  'the status page accepts a token that confirmed': {
    'a status page that answered 401': answered(
      aConfirm(),
      aStatus('captured', { status: 401, text: '' }),
    ),
  },
  '200 to confirm was true': {
    'a confirm that was answered 200 too early': confirmed({
      answeredAtMs: 1_000_060,
      text: aBody('created'),
    }),
    'a confirm that was answered 200 with an unused token': row({ tokens: [] }),
  },
  '409 to confirm was true': {
    'a confirm that was answered 409 while the intent was open': conflicted({
      answeredAtMs: 1_000_090,
      jtiHash: 'other',
    }),
    'a confirm that was answered 409 although its token authorized': conflicted({
      sentAtMs: 1_020_000,
      answeredAtMs: 1_020_010,
    }),
  },
  '200 to cancel was true': {
    'a cancel of a captured payment that was answered 200': got({
      operation: 'cancel',
      text: aBody('captured'),
    }),
  },
  'only one cancel is answered 200': {
    'two cancels that were answered 200': cancelledWith(aCancel(), aCancel({ nonce: 'n2' })),
  },
  '409 to cancel was true': {
    'a cancel that was answered 409 while the intent could be cancelled': cancelledWith(
      aCancel({ status: 409, text: '', sentAtMs: 1_000_010, answeredAtMs: 1_000_020 }),
    ),
  },
  'no request is answered 500': {
    'an answer 500': got({ status: 500, text: '' }),
  },
  'answers to operators were true': {
    'a refund that was reported as done and was not': anEvidence(toOperator('refund', 'done')),
    'a resolution that was reported as rejected and was done': anEvidence({
      row: aRow({ transitions: [AUTHORIZED, { ...CAPTURED, actor: 'operator-1' }] }),
      ...toOperator('resolve paid', 'rejected'),
    }),
  },
  'no workflow failed or timed out': {
    'a workflow that failed': withWorkflows(aWorkflow(), aWorkflow({ status: 'FAILED' })),
    'a workflow that timed out': withWorkflows(aWorkflow(), aWorkflow({ status: 'TIMED_OUT' })),
  },
  'no workflow threw or failed to replay': {
    'a workflow that threw': withWorkflows(aWorkflow({ brokenTasks: ['it threw'] })),
  },
  'every workflow agrees with its row': {
    'a workflow with another result': withWorkflows(aWorkflow({ result: 'failed' })),
    'no workflow': withWorkflows(),
    'an open payment without a running workflow': {
      ...anOpenEvidence(),
      workflows: [aWorkflow({ status: 'TERMINATED', result: null, cents: 40_005 })],
    },
  },
};

describe.each(Object.entries(VIOLATIONS))('"%s"', (invariant, violations) => {
  it.each(Object.entries(violations))('is violated by %s', (_what, evidence) => {
    expect(violatedIn(evidence)).toContain(invariant);
  });
});

it('every invariant has a test with a violation', () => {
  const names = findingsOf(anEvidence()).map(({ name }) => name);
  expect(
    names.filter((name) => !(name in VIOLATIONS) && !name.startsWith('payctl reconcile')),
  ).toEqual([]);
});
