// Evidence of a run without violations, for the tests of the checkers. Each test then spoils one
// detail.
import { checkAll } from '../report/check-all';
import type {
  EventFacts,
  Evidence,
  IntentFacts,
  Received,
  WorkflowFacts,
} from '../report/evidence';
import type { Answer } from '../actors/record';

export const ID = 'pi_00000000000000000000000001';
const PARTNER = 'siam-travel';
const CENTS = 1_250;
const EVENT = 'evt_00000000000000000000000001';
/** Instants, milliseconds since 1970. */
const T = 1_000_000;

export const DEBIT = { step: 'debit', from: 'holding', to: 'reserved', cents: CENTS };
export const CAPTURE = {
  step: 'capture',
  from: 'reserved',
  to: 'settlement:th_qrpay',
  cents: CENTS,
};
export const RELEASE = { step: 'release', from: 'reserved', to: 'holding', cents: CENTS };
export const AUTHORIZED = { from: 'created', to: 'authorized', atMs: T + 100, actor: 'payer' };
export const CAPTURED = { from: 'authorized', to: 'captured', atMs: T + 200, actor: 'system' };
export const FAILED = { from: 'authorized', to: 'failed', atMs: T + 200, actor: 'system' };

export function anEvent(overrides: Partial<EventFacts> = {}): EventFacts {
  return {
    ...{ eventId: EVENT, type: 'payment_intent.captured', state: 'delivered', attempts: 1 },
    made: [{ fromMs: T + 220, toMs: T + 230 }],
    ...overrides,
  };
}

export function aRow(overrides: Partial<IntentFacts> = {}): IntentFacts {
  return {
    ...{ intentId: ID, partnerId: PARTNER, userId: 'chaos-user-1' },
    ...{ cents: CENTS, corridor: 'th_qrpay', status: 'captured', attention: null },
    isForPeople: false,
    ...{ createdAtMs: T, expiresAtMs: T + 30_000, capturedAtMs: T + 200 },
    transitions: [AUTHORIZED, CAPTURED],
    transfers: [DEBIT, CAPTURE],
    payout: { status: 'paid', firstAttemptAtMs: T + 150 },
    events: [anEvent()],
    tokens: [{ jtiHash: 'a-token', isAnswered: true }],
    ...overrides,
  };
}

/** Failed after its debit, which was given back; nothing was paid out. */
export function aFailedRow(overrides: Partial<IntentFacts> = {}): IntentFacts {
  return aRow({
    ...{ status: 'failed', capturedAtMs: null },
    ...{ transitions: [AUTHORIZED, FAILED], transfers: [DEBIT, RELEASE] },
    payout: { status: 'declined', firstAttemptAtMs: T + 150 },
    events: [anEvent({ type: 'payment_intent.failed' })],
    ...overrides,
  });
}

/** An intent that ended before a confirm. */
export function anUnpaidRow(status: string, atMs: number, actor: string): IntentFacts {
  return aRow({
    ...{ status, capturedAtMs: null, transfers: [], payout: null, events: [], tokens: [] },
    transitions: [{ from: 'created', to: status, atMs, actor }],
  });
}

export const AN_EXECUTION = {
  ...{ key: `${ID}:payout`, amount_usd_cents: CENTS, corridor: 'th_qrpay' },
  executed_at: new Date(T + 160).toISOString(),
};

export function aReceived(type = 'captured', overrides: Partial<Received> = {}): Received {
  const about = { intentId: ID, status: type, cents: CENTS, corridor: 'th_qrpay' };
  const event = { type: `payment_intent.${type}`, ...about };
  return { partnerId: PARTNER, webhookId: EVENT, event, body: `{"${type}"}`, ...overrides };
}

export function aWorkflow(overrides: Partial<WorkflowFacts> = {}): WorkflowFacts {
  return {
    ...{ workflowId: ID, type: 'paymentIntent', status: 'COMPLETED', result: 'captured' },
    ...{ cents: CENTS, brokenTasks: [] },
    ...overrides,
  };
}

export function aBody(status: string, cents = CENTS): string {
  return JSON.stringify({ intent_id: ID, status, amount_usd_cents: cents, corridor: 'th_qrpay' });
}

/** By default the answer to a GET with the status `captured`. */
export function anAnswer(overrides: Partial<Answer> = {}): Answer {
  return {
    ...{ request: undefined, operation: 'get', api: 'api-1', shiftMs: 0, intentId: ID, sent: '' },
    ...{ nonce: 'a-nonce', signedAtMs: T + 1_000, jtiHash: undefined, idempotencyKey: undefined },
    ...{ sentAtMs: T + 1_000, answeredAtMs: T + 1_010, status: 200, text: aBody('captured') },
    ...overrides,
  };
}

export function aCreated(overrides: Partial<Answer> = {}): Answer {
  return anAnswer({
    ...{ operation: 'create', idempotencyKey: 'order-1', nonce: 'a-nonce-of-a-create' },
    ...{ sent: aBody(''), status: 201, text: aBody('created') },
    ...{ signedAtMs: T - 20, sentAtMs: T - 20, answeredAtMs: T + 5 },
    ...overrides,
  });
}

export function aConfirm(overrides: Partial<Answer> = {}): Answer {
  return anAnswer({
    ...{ operation: 'confirm', nonce: undefined, signedAtMs: undefined, jtiHash: 'a-token' },
    ...{ sentAtMs: T + 50, answeredAtMs: T + 250 },
    ...overrides,
  });
}

/** The answer of the status page after a confirm. */
export function aStatus(status: string, overrides: Partial<Answer> = {}): Answer {
  return aConfirm({
    ...{ operation: 'status', sentAtMs: T + 300, answeredAtMs: T + 310 },
    text: JSON.stringify({ status }),
    ...overrides,
  });
}

/** One captured payment without any violation. */
export function anEvidence(
  overrides: Partial<Evidence> & { readonly row?: IntentFacts } = {},
): Evidence {
  const { row = aRow(), ...rest } = overrides;
  const { status, cents, corridor, capturedAtMs } = row;
  const isExecuted = status === 'captured' || status === 'refunded';
  const balances = { funding: -10_000, holding: 10_000 - CENTS, reserved: 0 };
  const settledBalances = { ...balances, 'settlement:th_qrpay': CENTS };
  const reading = { httpStatus: 200, status, cents, corridor };
  return {
    rows: new Map([[ID, row]]),
    ledger: {
      balances: new Map(Object.entries(settledBalances)),
      slotsCents: 10_000 - CENTS,
      checks: [],
    },
    journal: isExecuted ? [AN_EXECUTION] : [],
    readings: new Map([
      [
        ID,
        {
          ...reading,
          capturedAtMs: status === 'captured' ? (capturedAtMs ?? undefined) : undefined,
        },
      ],
    ]),
    workflows: [aWorkflow({ result: status })],
    inbox: [aReceived(status)],
    reconciliation: { exitCode: 0, lastWords: '', found: [] },
    answers: [
      aCreated(),
      aConfirm({ text: aBody(status) }),
      anAnswer({ text: aBody(status) }),
      aStatus(status),
    ],
    ...{ operatorAnswers: [], slowCommits: [] },
    ...rest,
  };
}

/** Authorized, debited, and in need of attention. */
export const anOpenRow = (cents = 40_005) =>
  aRow({
    ...{ status: 'authorized', cents, capturedAtMs: null, attention: 'unknown' },
    isForPeople: cents === 40_005,
    ...{ transitions: [AUTHORIZED], transfers: [{ ...DEBIT, cents }], events: [] },
    payout: { status: 'sent', firstAttemptAtMs: 1_000_150 },
  });

export const anOpenEvidence = (row = anOpenRow()) =>
  anEvidence({
    ...{ row, journal: [], inbox: [], answers: [] },
    workflows: [aWorkflow({ status: 'RUNNING', result: null, cents: row.cents })],
    ledger: {
      balances: new Map(Object.entries({ funding: -row.cents, reserved: row.cents })),
      ...{ slotsCents: 0, checks: [] },
    },
  });

export const findingsOf = (evidence: Evidence) => checkAll(evidence, 1_060_000);

/** The names of the invariants that it violates. */
export const violatedIn = (evidence: Evidence): readonly string[] =>
  findingsOf(evidence)
    .filter(({ violations }) => violations > 0)
    .map(({ name }) => name);
