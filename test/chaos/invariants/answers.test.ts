// The checker is checked: of every violation made by hand it finds the invariant that it violates (architecture, section 8).
import type { Evidence } from '../evidence';
import {
  aBody,
  aConfirm,
  aCreated,
  AUTHORIZED,
  anAnswer,
  anEvidence,
  aRow,
  aStatus,
  CAPTURED,
  ID,
} from './evidence-of';
import { violatedIn, type Violation } from './violated';

const cancelledRow = aRow({
  ...{
    status: 'cancelled',
    capturedAtMs: null,
    transfers: [],
    payout: null,
    events: [],
    tokens: [],
  },
  transitions: [{ from: 'created', to: 'cancelled', atMs: 1_000_100, actor: 'partner' }],
});
const aCancel = anAnswer({ asked: 'cancel', text: aBody('cancelled') });
const cancelledWith = (...answers: Evidence['answers']) =>
  anEvidence({ row: cancelledRow, journal: [], inbox: [], answers });

const CREDENTIALS: readonly Violation[] = [
  [
    'a nonce taken twice',
    'no nonce is accepted twice',
    anEvidence({ answers: [anAnswer(), anAnswer({ status: 404, text: '' })] }),
  ],
  [
    'a token answered twice',
    'no jti is accepted twice',
    anEvidence({ answers: [aConfirm(), aConfirm()] }),
  ],
  [
    'a key with two answers',
    'one idempotency key is one intent and one answer',
    anEvidence({ answers: [aCreated(), aCreated({ nonce: 'n2', text: `${aBody('created')} ` })] }),
  ],
  [
    'a create that left two intents',
    'one create is one intent',
    anEvidence({
      rows: new Map([
        [ID, aRow()],
        ['pi_2', aRow()],
      ]),
    }),
  ],
  [
    'a request taken by a clock that is six minutes ahead',
    'out of its time, a signed request is refused',
    anEvidence({ answers: [anAnswer({ shiftMs: 360_000 })] }),
  ],
  [
    'a request taken by a clock that is six minutes behind',
    'out of its time, a signed request is refused',
    anEvidence({ answers: [anAnswer({ shiftMs: -360_000 })] }),
  ],
];

const ANSWERS: readonly Violation[] = [
  [
    'a GET that saw what was not',
    '200 to GET was true',
    anEvidence({ answers: [anAnswer({ text: aBody('failed') })] }),
  ],
  [
    'a GET that saw what came later',
    '200 to GET was true',
    anEvidence({ answers: [anAnswer({ sentAtMs: 999_990, answeredAtMs: 1_000_010 })] }),
  ],
  [
    'a GET that saw what was long over',
    '200 to GET was true',
    anEvidence({
      answers: [
        anAnswer({ sentAtMs: 1_030_000, answeredAtMs: 1_030_010, text: aBody('authorized') }),
      ],
    }),
  ],
  [
    'a status page that said what was not',
    '200 to the status page was true',
    anEvidence({ answers: [aStatus('failed')] }),
  ],
  [
    'a status page that did not know who had confirmed',
    'the status page knows who confirmed',
    anEvidence({ answers: [aConfirm(), aStatus('captured', { status: 401, text: '' })] }),
  ],
  [
    'a confirm that was told 200 too early',
    '200 to confirm was true',
    anEvidence({ answers: [aConfirm({ answeredAtMs: 1_000_060, text: aBody('created') })] }),
  ],
  [
    'a confirm that was told 200 by a token that nobody used',
    '200 to confirm was true',
    anEvidence({ row: aRow({ tokens: [] }) }),
  ],
  [
    'a confirm that was told 409 while it was open',
    '409 to confirm was true',
    anEvidence({
      answers: [aConfirm({ status: 409, text: '', answeredAtMs: 1_000_090, jtiHash: 'other' })],
    }),
  ],
  [
    'a confirm that was told 409 of what its own token did',
    '409 to confirm was true',
    anEvidence({
      answers: [aConfirm({ status: 409, text: '', sentAtMs: 1_020_000, answeredAtMs: 1_020_010 })],
    }),
  ],
  [
    'a cancel that was told 200 of a captured payment',
    '200 to cancel was true',
    anEvidence({ answers: [{ ...aCancel, text: aBody('captured') }] }),
  ],
  [
    'two cancels that were told 200',
    'a cancel is told 200 once',
    cancelledWith(aCancel, { ...aCancel, nonce: 'n2' }),
  ],
  [
    'a cancel that was told 409 while nothing stood against it',
    '409 to cancel was true',
    cancelledWith({
      ...aCancel,
      status: 409,
      text: '',
      sentAtMs: 1_000_010,
      answeredAtMs: 1_000_020,
    }),
  ],
  [
    'an answer 500',
    'nothing is answered 500',
    anEvidence({ answers: [anAnswer({ status: 500, text: '' })] }),
  ],
  [
    'an operator who was told of a refund that was not',
    'operations were told the truth',
    anEvidence({
      operatorAnswers: [
        {
          asked: 'refund',
          intentId: ID,
          actor: 'operator-1',
          outcome: 'done',
          answeredAtMs: 1,
          text: '',
        },
      ],
    }),
  ],
  [
    'an operator who was refused what was done',
    'operations were told the truth',
    anEvidence({
      row: aRow({ transitions: [AUTHORIZED, { ...CAPTURED, actor: 'operator-1' }] }),
      operatorAnswers: [
        {
          asked: 'declare paid',
          intentId: ID,
          actor: 'operator-1',
          outcome: 'refused',
          answeredAtMs: 1,
          text: '',
        },
      ],
    }),
  ],
];

describe.each([
  ['credentials', CREDENTIALS],
  ['answers', ANSWERS],
])('%s', (_chapter, violations) => {
  it.each(violations)('%s violates "%s"', (_what, invariant, evidence) => {
    expect(violatedIn(evidence)).toContain(invariant);
  });
});
