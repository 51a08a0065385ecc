// Evidence as a healthy run leaves it, for the tests of the checkers: each of them then spoils one thing.
import type { Evidence, IntentFacts, Received, RunFacts } from '../evidence';
import type { Answer } from '../record';

export const ID = 'pi_00000000000000000000000001';
const PARTNER = 'siam-travel';
const CENTS = 1_250;
export const EVENT = 'evt_00000000000000000000000001';
/** Instants, milliseconds since 1970. */
const T = 1_000_000;

export const ATTEMPT = { fromMs: T + 220, toMs: T + 230 };

export const HELD = { step: 'debit', from: 'holding', to: 'held', cents: CENTS };
export const CAPTURE = { step: 'capture', from: 'held', to: 'settlement:th_qrpay', cents: CENTS };
export const RELEASE = { step: 'release', from: 'held', to: 'holding', cents: CENTS };
export const AUTHORIZED = { from: 'created', to: 'authorized', atMs: T + 100, actor: 'payer' };
export const CAPTURED = { from: 'authorized', to: 'captured', atMs: T + 200, actor: 'system' };
export const FAILED = { from: 'authorized', to: 'failed', atMs: T + 200, actor: 'system' };

export function aRow(overrides: Partial<IntentFacts> = {}): IntentFacts {
  return {
    intentId: ID,
    partnerId: PARTNER,
    userId: 'chaos-user-1',
    cents: CENTS,
    corridor: 'th_qrpay',
    status: 'captured',
    createdAtMs: T,
    expiresAtMs: T + 30_000,
    capturedAtMs: T + 200,
    attention: null,
    idempotencyKey: 'order-1',
    transitions: [AUTHORIZED, CAPTURED],
    transfers: [HELD, CAPTURE],
    payout: { status: 'paid', firstSentAtMs: T + 150 },
    events: [
      {
        eventId: EVENT,
        type: 'payment_intent.captured',
        state: 'delivered',
        attempts: 1,
        made: [ATTEMPT],
      },
    ],
    tokens: [{ jtiHash: 'a-token', isAnswered: true }],
    ...overrides,
  };
}

/** Failed after its debit, which was given back; nothing was paid out. */
export function aFailedRow(overrides: Partial<IntentFacts> = {}): IntentFacts {
  return aRow({
    status: 'failed',
    capturedAtMs: null,
    transitions: [AUTHORIZED, FAILED],
    transfers: [HELD, RELEASE],
    payout: { status: 'declined', firstSentAtMs: T + 150 },
    events: [
      {
        eventId: EVENT,
        type: 'payment_intent.failed',
        state: 'delivered',
        attempts: 1,
        made: [ATTEMPT],
      },
    ],
    ...overrides,
  });
}

export const AN_EXECUTION = {
  key: `${ID}:payout`,
  amount_usd_cents: CENTS,
  corridor: 'th_qrpay',
  executed_at: new Date(T + 160).toISOString(),
};

export function aReceived(type = 'captured', overrides: Partial<Received> = {}): Received {
  const event = {
    type: `payment_intent.${type}`,
    intentId: ID,
    status: type,
    cents: CENTS,
    corridor: 'th_qrpay',
  };
  return { partnerId: PARTNER, webhookId: EVENT, event, body: `{"${type}"}`, ...overrides };
}

export function aRun(overrides: Partial<RunFacts> = {}): RunFacts {
  return {
    workflowId: ID,
    type: 'paymentIntent',
    status: 'COMPLETED',
    result: 'captured',
    cents: CENTS,
    brokenTasks: [],
    ...overrides,
  };
}

export function aBody(status: string, cents = CENTS): string {
  return JSON.stringify({ intent_id: ID, status, amount_usd_cents: cents, corridor: 'th_qrpay' });
}

/** Of a GET that said `captured`, unless told. */
export function anAnswer(overrides: Partial<Answer> = {}): Answer {
  return {
    request: undefined,
    asked: 'get',
    api: 'api-1',
    shiftMs: 0,
    intentId: ID,
    nonce: 'a-nonce',
    signedAtMs: T + 1_000,
    jtiHash: undefined,
    idempotencyKey: undefined,
    sent: '',
    sentAtMs: T + 1_000,
    answeredAtMs: T + 1_010,
    status: 200,
    text: aBody('captured'),
    ...overrides,
  };
}

export function aCreated(overrides: Partial<Answer> = {}): Answer {
  return anAnswer({
    asked: 'create',
    idempotencyKey: 'order-1',
    sent: aBody(''),
    status: 201,
    text: aBody('created'),
    sentAtMs: T - 20,
    answeredAtMs: T + 5,
    signedAtMs: T - 20,
    nonce: 'a-nonce-of-a-create',
    ...overrides,
  });
}

export function aConfirm(overrides: Partial<Answer> = {}): Answer {
  return anAnswer({
    asked: 'confirm',
    nonce: undefined,
    signedAtMs: undefined,
    jtiHash: 'a-token',
    sentAtMs: T + 50,
    answeredAtMs: T + 250,
    ...overrides,
  });
}

/** What the checkout asked after its confirm. */
export function aStatus(status: string, overrides: Partial<Answer> = {}): Answer {
  return aConfirm({
    asked: 'status',
    sentAtMs: T + 300,
    answeredAtMs: T + 310,
    text: JSON.stringify({ status }),
    ...overrides,
  });
}

/** One captured payment, and nothing wrong with it anywhere. */
export function anEvidence(
  overrides: Partial<Evidence> & { readonly row?: IntentFacts } = {},
): Evidence {
  const { row = aRow(), ...rest } = overrides;
  const isExecuted = row.status === 'captured' || row.status === 'refunded';
  return {
    rows: new Map([[ID, row]]),
    ledger: {
      balances: new Map([
        ['funding', -10_000],
        ['holding', 10_000 - CENTS],
        ['held', 0],
        ['settlement:th_qrpay', CENTS],
      ]),
      slotsCents: 10_000 - CENTS,
      checks: [],
    },
    journal: isExecuted ? [AN_EXECUTION] : [],
    readings: new Map([
      [
        ID,
        {
          httpStatus: 200,
          status: row.status,
          cents: row.cents,
          corridor: row.corridor,
          capturedAtMs: row.status === 'captured' ? (row.capturedAtMs ?? undefined) : undefined,
        },
      ],
    ]),
    runs: [aRun({ result: row.status })],
    inbox: [aReceived(row.status)],
    reconciliation: { exitCode: 0, lastWords: '', found: [] },
    answers: [
      aCreated(),
      aConfirm({ text: aBody(row.status) }),
      anAnswer({ text: aBody(row.status) }),
      aStatus(row.status),
    ],
    operatorAnswers: [],
    slowCommits: [],
    ...rest,
  };
}

/** Authorized, debited, and left to people. */
export const anOpenRow = (cents = 40_005) =>
  aRow({
    ...{ status: 'authorized', cents, capturedAtMs: null, attention: 'unknown' },
    ...{ transitions: [AUTHORIZED], transfers: [{ ...HELD, cents }], events: [] },
    payout: { status: 'sent', firstSentAtMs: 1_000_150 },
  });

export const anOpenEvidence = (row = anOpenRow()) =>
  anEvidence({
    row,
    journal: [],
    inbox: [],
    runs: [aRun({ status: 'RUNNING', result: null, cents: row.cents })],
    answers: [],
    ledger: {
      balances: new Map([
        ['funding', -row.cents],
        ['held', row.cents],
      ]),
      slotsCents: 0,
      checks: [],
    },
  });
