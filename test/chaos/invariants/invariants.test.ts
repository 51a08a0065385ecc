// The checkers are checked: of every violation made by hand they find the invariant that it violates (architecture, section 8).
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
  aRun,
  aStatus,
  AUTHORIZED,
  CAPTURE,
  CAPTURED,
  FAILED,
  findingsOf,
  HELD,
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
const receivedToo = (overrides: Partial<Evidence['inbox'][number]>, type = 'captured') =>
  received(aReceived(), aReceived(type, overrides));
const executed = (...journal: Evidence['journal']) => anEvidence({ journal });
const ran = (...runs: Evidence['runs']) => anEvidence({ runs });
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
  anAnswer({ asked: 'cancel', text: aBody('cancelled'), ...overrides });
const conflicted = (overrides: Partial<Answer>) =>
  confirmed({ status: 409, text: '', ...overrides });
const toOperations = (
  asked: 'refund' | 'declare paid',
  outcome: 'done' | 'refused',
): Pick<Evidence, 'operatorAnswers'> => {
  const about = { asked, intentId: ID, actor: 'operator-1', outcome };
  return { operatorAnswers: [{ ...about, answeredAtMs: 1, text: '' }] };
};

/** By the invariant, what violates it. */
const VIOLATIONS: Readonly<Record<string, Readonly<Record<string, Evidence>>>> = {
  'at most one debit and one payout per intent': {
    'two debits': transfers(HELD, HELD, CAPTURE),
    'two executions': executed(AN_EXECUTION, AN_EXECUTION),
    'an execution under another key': executed({ ...AN_EXECUTION, key: `${ID}:payout0.5` }),
    'captured and released': transfers(HELD, CAPTURE, RELEASE),
  },
  'a payout implies a debit': {
    'a payout without a debit': transfers(CAPTURE),
    'a payout whose debit was given back': anEvidence({
      row: aFailedRow(),
      journal: [AN_EXECUTION],
    }),
    'a payout of an intent that there is not': executed(AN_EXECUTION, {
      ...AN_EXECUTION,
      key: 'pi_other:payout',
    }),
  },
  'a debit without a payout is released or visibly waiting': {
    'a failed payment that keeps its debit': anEvidence({ row: aFailedRow({ transfers: [HELD] }) }),
    'an open payment that nobody is told of': anOpenEvidence({ ...anOpenRow(), attention: null }),
  },
  'captured is paid out, and nothing else is kept': {
    'captured, and nothing paid out': executed(),
    'captured in the row only': transfers(HELD),
  },
  'the ledger sums to zero': {
    'accounts that do not': ledger({ balances: new Map([['held', 5]]), slotsCents: 0 }),
    'slots that are not the holding account': ledger({ slotsCents: 1 }),
  },
  'amounts agree everywhere': {
    'a transfer of another amount': transfers({ ...HELD, cents: 1 }, CAPTURE),
    'an execution of another amount': executed({ ...AN_EXECUTION, amount_usd_cents: 1 }),
    'a run of another amount': ran(aRun({ cents: 1 })),
  },
  'payctl ledger check: entries_sum_to_zero': {
    'payctl finds something': ledger({
      checks: [{ name: 'entries_sum_to_zero', checked: 1, violations: 1, examples: [] }],
    }),
  },
  'every 201 is an intent, as it was told': {
    'a 201 that is not there': answered(aCreated({ intentId: 'pi_lost' })),
    'a 201 of another amount': answered(aCreated({ text: aBody('created', 1) })),
  },
  'every intent takes a path of the table': {
    'an edge that the table does not have': row({
      transitions: [AUTHORIZED, FAILED, { ...CAPTURED, from: 'failed', atMs: 1_000_300 }],
    }),
    'a step left out': row({ transitions: [CAPTURED] }),
    'a status without its step': row({ transitions: [AUTHORIZED] }),
  },
  'every intent has ended, or waits for people': {
    'a payment left open that is nobody’s to decide': anOpenEvidence(anOpenRow(1_250)),
  },
  'GET says what the row says': {
    'GET that says something else': read({ status: 'authorized' }),
    'GET that does not answer': read({ httpStatus: 404, status: undefined }),
  },
  'each settled or failed intent has its webhook, with one id': {
    'no webhook': received(),
    'a webhook under two ids': receivedToo({ webhookId: 'evt_other' }),
    'a webhook under an id of its own': received(aReceived('captured', { webhookId: 'evt_other' })),
  },
  'a webhook is signed and tells what happened': {
    'a signature that does not hold': receivedToo({ event: null, webhookId: 'evt_x' }),
    'a webhook of what did not happen': receivedToo({ webhookId: 'evt_x' }, 'failed'),
    'a webhook to another partner': receivedToo({ partnerId: 'saigon-rides' }),
  },
  'every webhook event is delivered in the end': {
    'a webhook that is missed for ever': row({ events: [anEvent({ state: 'skipped' })] }),
  },
  'of one webhook one attempt is under way at a time': {
    'a webhook sent by two at once': row({
      events: [
        anEvent({ made: [0, 4].map((ms) => ({ fromMs: 1_000_220 + ms, toMs: 1_000_230 })) }),
      ],
    }),
  },
  'one webhook id is one body': {
    'one id with two bodies': receivedToo({ body: 'other' }),
  },
  'no nonce is accepted twice': {
    'a nonce taken twice': answered(anAnswer(), anAnswer({ status: 404, text: '' })),
  },
  'no jti is accepted twice': { 'a token answered twice': answered(aConfirm(), aConfirm()) },
  'one idempotency key is one intent and one answer': {
    'a key with two answers': answered(
      aCreated(),
      aCreated({ nonce: 'n2', text: `${aBody('created')} ` }),
    ),
  },
  'one create is one intent': {
    'a create that left two intents': anEvidence({
      rows: new Map([ID, 'pi_2'].map((id) => [id, aRow()])),
    }),
  },
  'out of its time, a signed request is refused': {
    'a clock six minutes ahead takes it': got({ shiftMs: 360_000 }),
    'a clock six minutes behind takes it': got({ shiftMs: -360_000 }),
  },
  '200 to GET was true': {
    'a GET that saw what was not': got({ text: aBody('failed') }),
    'a GET that saw what came later': got({ sentAtMs: 999_990, answeredAtMs: 1_000_010 }),
    'a GET that saw what was long over': got({
      sentAtMs: 1_030_000,
      answeredAtMs: 1_030_010,
      text: aBody('authorized'),
    }),
  },
  '200 to the status page was true': {
    'a status page that said what was not': answered(aStatus('failed')),
  },
  'the status page knows who confirmed': {
    'a status page that did not': answered(
      aConfirm(),
      aStatus('captured', { status: 401, text: '' }),
    ),
  },
  '200 to confirm was true': {
    'a confirm that was told 200 too early': confirmed({
      answeredAtMs: 1_000_060,
      text: aBody('created'),
    }),
    'a confirm that was told 200 by a token that nobody used': row({ tokens: [] }),
  },
  '409 to confirm was true': {
    'a confirm that was told 409 while it was open': conflicted({
      answeredAtMs: 1_000_090,
      jtiHash: 'other',
    }),
    'a confirm that was told 409 of what its own token did': conflicted({
      sentAtMs: 1_020_000,
      answeredAtMs: 1_020_010,
    }),
  },
  '200 to cancel was true': {
    'a cancel that was told 200 of a captured payment': got({
      asked: 'cancel',
      text: aBody('captured'),
    }),
  },
  'a cancel is told 200 once': {
    'two cancels that were told 200': cancelledWith(aCancel(), aCancel({ nonce: 'n2' })),
  },
  '409 to cancel was true': {
    'a cancel that was told 409 while nothing stood against it': cancelledWith(
      aCancel({ status: 409, text: '', sentAtMs: 1_000_010, answeredAtMs: 1_000_020 }),
    ),
  },
  'nothing is answered 500': {
    'an answer 500': got({ status: 500, text: '' }),
  },
  'operations were told the truth': {
    'an operator who was told of a refund that was not': anEvidence(toOperations('refund', 'done')),
    'an operator who was refused what was done': anEvidence({
      row: aRow({ transitions: [AUTHORIZED, { ...CAPTURED, actor: 'operator-1' }] }),
      ...toOperations('declare paid', 'refused'),
    }),
  },
  'no execution ended Failed': {
    'a run that failed': ran(aRun(), aRun({ status: 'FAILED' })),
    'a run that timed out': ran(aRun(), aRun({ status: 'TIMED_OUT' })),
  },
  'no workflow broke': { 'a workflow that threw': ran(aRun({ brokenTasks: ['it threw'] })) },
  'every run agrees with its row': {
    'a run that ended as something else': ran(aRun({ result: 'failed' })),
    'no run at all': ran(),
    'an open payment for which nothing runs': {
      ...anOpenEvidence(),
      runs: [aRun({ status: 'TERMINATED', result: null, cents: 40_005 })],
    },
  },
};

describe.each(Object.entries(VIOLATIONS))('"%s"', (invariant, violations) => {
  it.each(Object.entries(violations))('is violated by: %s', (_what, evidence) => {
    expect(violatedIn(evidence)).toContain(invariant);
  });
});

it('every invariant has something that violates it', () => {
  const names = findingsOf(anEvidence()).map(({ name }) => name);
  expect(
    names.filter((name) => !(name in VIOLATIONS) && !name.startsWith('payctl reconcile')),
  ).toEqual([]);
});
