// A debited intent in a real database, scripted providers and a scripted stopwatch, for tests of
// the payout activity. All calls are recorded.
import {
  createPayoutActivities,
  type AtOnceResult,
  type PayoutResult,
} from '../../activities/payout';
import type { PayoutRequest } from '../../activities/payout-sending';
import { byCorridor, type Corridor } from '../../src/corridors/names';
import { stepKey, type IntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { LocalAmount } from '../../src/domain/money';
import type {
  Declared,
  InquiryAnswer,
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  QueryAnswer,
} from '../../src/ports/payout-provider';
import type { PayoutAnswer, PayoutJournal } from '../../src/ports/payouts';
import { observed } from '../../src/main/worker/payout-providers';
import { createDatabase, readRows, type Database } from '../../src/postgres/database';
import { createIntentStore } from '../../src/postgres/intents/store';
import { createPayoutJournal } from '../../src/postgres/payouts/journal';
import { createPayoutLock } from '../../src/postgres/payouts/lock';
import { anEventId, anIntent, aTokenUse, type TestBed, move } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { SILENT } from '../support/silent-log';
import type { TestPartner } from '../support/payments/partner';
import { DECLINED, NOT_FOUND, paidIn, PENDING, recorded, SURE } from '../support/payments/answers';
import { recordSent } from '../support/payments/payouts';
import { withDatabase, withPartner } from '../support/brackets';
import { providerHealth } from '../support/payments/provider-health';
import { ACCOUNT, boundsWith, IN_CENTS, ONE_ACCOUNT } from '../support/payments/accounts';

export const UNKNOWN_TIMEOUT_SECONDS = 900;
export const CENTS = 1_250;

/** The provider's answers about this amount. */
export const ANSWERS = {
  paid: paidIn(CENTS),
  declined: DECLINED,
  pending: PENDING,
  unknown: { outcome: 'unknown', cause: 'timeout after 5 s' },
  notFound: NOT_FOUND,
} as const satisfies Readonly<Record<string, PayoutOutcome>>;

interface PayoutOptions {
  /** Time that the stopwatch shows after the attempt is recorded. */
  readonly delayedMs?: number;
  /** How long ago the payout was first sent, without an answer. */
  readonly sentSecondsAgo?: number;
  readonly row?: 'failed' | 'locked';
  readonly isEndpointFast?: boolean;
  readonly corridor?: Corridor;
  readonly qrPayload?: string;
  /** The amount in the code. */
  readonly local?: LocalAmount;
  readonly pay?: PayoutOutcome;
  readonly find?: QueryAnswer;
  readonly abilities?: Partial<Declared>;
  readonly inquire?: InquiryAnswer;
  /** Instead of the scripted one. */
  readonly provider?: PayoutProvider;
  readonly feeUsdCents?: number;
  /** Runs before the provider answers a query. */
  readonly whileQueried?: (bed: TestBed) => Promise<unknown>;
  readonly isJournalUnreachable?: boolean;
  /** Whether the capture cannot reach Postgres. */
  readonly isRowUnreachable?: boolean;
  /** Runs before the activity writes its capture. */
  readonly beforeCapture?: (bed: TestBed, intentId: IntentId) => Promise<unknown>;
}

const NONE = { payoutRequested: () => undefined };

interface Setup {
  readonly bed: TestBed;
  readonly partner: TestPartner;
}

const PAID = paidIn(CENTS);

/** No server listens at this port. */
const unreachable = createDatabase({
  url: 'postgres://postgres@127.0.0.1:1/postgres',
  poolSize: 1,
  onLostConnection: () => undefined,
});

const unreachableJournal = createPayoutJournal(unreachable);

const intentsOf = (database: Database) =>
  createIntentStore({ database, environment: 'sandbox', makeEventId: anEventId });

/** Payouts on a database of their own. */
export function withPayouts() {
  const bed = withDatabase();
  const partner = withPartner(bed, { webhookUrl: 'https://partner.example/webhooks' });
  return {
    aPayout: (options: PayoutOptions) => aPayout({ bed, partner }, options),
    database: () => bed.database,
    /** Reads rows of a payment. */
    rows: (text: string, intentId: IntentId) =>
      readRows<Record<string, unknown>>(bed.database, { text, values: [intentId] }),
    /** Sets the clock to this time after noon, when each payout is created. */
    setSecondsAfterNoon: (seconds: number) => bed.setNow(secondsAfter(NOON, seconds)),
  };
}

/** Creates and debits an intent. Returns its payout activities, and their calls in order. */
async function aPayout({ bed, partner }: Setup, options: PayoutOptions) {
  await bed.setNow(NOON);
  const intent = await aPayable({ bed, partner }, options);
  const { intentId } = intent;
  const { calls, steps, both } = createTrace();
  const answered: PayoutAnswer[] = [];
  const answers = answersOf(options, bed);
  const scripted = (corridor: Corridor) => recordingProvider(answers, both, corridor);
  const journal = options.isJournalUnreachable === true ? unreachableJournal : bed.payoutJournal;
  const intents = options.isRowUnreachable === true ? intentsOf(unreachable) : bed.intents;
  const { health, startStopwatch } = createTime(options.delayedMs);
  const { payOut, payOutAtOnce, isKnownUnpaid } = createPayoutActivities({
    intents: {
      ...intents,
      async capturePaid(intentId, terms, details) {
        steps.push(['capture', intentId]);
        await options.beforeCapture?.(bed, intentId);
        return intents.capturePaid(intentId, terms, details);
      },
    },
    log: SILENT,
    providers: byCorridor((corridor) =>
      observed(options.provider ?? scripted(corridor), corridor, health, NONE),
    ),
    ...ONE_ACCOUNT,
    costBounds: boundsWith(options.feeUsdCents),
    payoutJournal: recordingJournal(journal, both, answered),
    endpointSpeeds: { isFast: () => options.isEndpointFast === true },
    providerHealth: byCorridor(() => health),
    startStopwatch,
    pause: () => Promise.resolve(),
    payoutUnknownSeconds: UNKNOWN_TIMEOUT_SECONDS,
  });
  const request = { ...requestOf(intent), partnerId: partner.partnerId };
  return {
    ...{ intent, calls, steps, answered, answers, health, order: orderOf(intent, options) },
    async currentState() {
      const { status, eventId } = await bed.intents.readCurrentState(intentId);
      return { status, eventId };
    },
    says: saying(bed.payoutJournal, intentId),
    begun: ['begin', intentId] as const,
    recorded: ['record', intentId] as const,
    isKnownUnpaid: () => isKnownUnpaid({ ...request, queryId: 'query-1' }),
    payOutAtOnce: (): Promise<AtOnceResult> => payOutAtOnce(request),
    payOut: (change: Partial<PayoutRequest> = {}): Promise<PayoutResult> =>
      payOut({ ...request, ...change }),
  };
}

function answersOf(options: PayoutOptions, bed: TestBed): Answers {
  const { pay = PAID, find = PAID, inquire } = options;
  const abilities = { ...SURE, ...options.abilities };
  return { pay, find, inquire, abilities, whileQueried: async () => options.whileQueried?.(bed) };
}

/** Records what the provider has answered to an attempt. */
const saying = (journal: PayoutJournal, id: IntentId) => (number: number, answer: PayoutAnswer) =>
  journal.recordAnswer(id, number, recorded(answer));

/** Stopwatches move only while a payout is delayed, and show the delay from the beginning. */
function createTime(delayedMs = 0) {
  let heldMs = 0;
  const { th_qrpay: health } = providerHealth((ms) => {
    heldMs += ms;
  });
  const startStopwatch = () => {
    const sinceMs = heldMs;
    return () => delayedMs + heldMs - sinceMs;
  };
  return { health, startStopwatch };
}

function requestOf({ intentId, amountUsdCents, corridor, createdAt }: PaymentIntent) {
  const payout = { intentId, amountUsdCents, corridor, createdAtMs: createdAt.getTime() };
  return { ...payout, isAttentionRaised: false, mayHaveBeenSent: false };
}

function orderOf(
  { intentId, amountUsdCents, corridor }: PaymentIntent,
  { qrPayload }: PayoutOptions,
): PayoutOrder {
  const key = stepKey(intentId, 'payout');
  return { ...IN_CENTS, key, amountUsdCents, corridor, qrPayload: qrPayload ?? null };
}

type Step = readonly [string, unknown];
type Trace = Pick<Step[], 'push'>;

/** `steps`: the calls of journal, provider and row, in order. `calls`: the same without the row. */
function createTrace() {
  const [calls, steps]: [Step[], Step[]] = [[], []];
  const both: Trace = {
    push(...more) {
      calls.push(...more);
      return steps.push(...more);
    },
  };
  return { calls, steps, both };
}

/** Records the calls of the journal, and the answers that it records. */
function recordingJournal(
  journal: PayoutJournal,
  calls: Trace,
  answered: PayoutAnswer[],
): PayoutJournal {
  return {
    async recordFirstSending(id, terms, fixed) {
      calls.push(['record', id]);
      return journal.recordFirstSending(id, terms, fixed);
    },
    async beginAttempt(id, terms, mayBegin) {
      calls.push(['begin', id]);
      return journal.beginAttempt(id, terms, mayBegin);
    },
    async recordSending(id, number, terms, fixed) {
      calls.push(['record', id]);
      return journal.recordSending(id, number, terms, fixed);
    },
    async recordAnswer(id, number, recorded) {
      answered.push(recorded.answer);
      await journal.recordAnswer(id, number, recorded);
    },
    readOrder: (id) => journal.readOrder(id),
    recordRefusal: (id, code) => journal.recordRefusal(id, code),
    recordUnpaid: (id, queryId) => journal.recordUnpaid(id, queryId),
  };
}

async function aPayable({ bed, partner }: Setup, options: PayoutOptions): Promise<PaymentIntent> {
  const { sentSecondsAgo, row, corridor = 'th_qrpay', qrPayload, local } = options;
  const intent = await anIntent(bed, partner, { corridor });
  const { intentId, amountUsdCents } = intent;
  const token = aTokenUse(partner);
  if (qrPayload !== undefined) await bed.tokens.storePayload(intentId, token, { qrPayload, local });
  const authorize = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
  await bed.intents.transition({ ...authorize, token });
  await bed.funds.debit(intentId, amountUsdCents);
  if (sentSecondsAgo !== undefined) {
    await bed.setNow(secondsAfter(NOON, -sentSecondsAgo));
    await recordSent(bed, intentId);
    await bed.setNow(NOON);
  }
  if (row === 'failed') await move(bed, intentId, 'fail');
  if (row === 'locked') await createPayoutLock(bed.database).lock(intentId);
  return intent;
}

interface Answers {
  readonly pay: PayoutOutcome;
  readonly find: QueryAnswer;
  /** A test may change it. */
  inquire: InquiryAnswer | undefined;
  readonly abilities: Declared;
  readonly whileQueried: () => Promise<unknown>;
}

/** A provider that gives these answers and records its calls. */
function recordingProvider(answers: Answers, calls: Trace, corridor: Corridor): PayoutProvider {
  return {
    account: ACCOUNT,
    abilities: answers.abilities,
    pay(order, { isInTime }) {
      if (!isInTime()) return Promise.resolve({ outcome: 'unknown', cause: 'not sent: too late' });
      calls.push([`pay ${corridor}`, order]);
      return Promise.resolve(answers.pay);
    },
    async inquire({ local, qrPayload }) {
      calls.push([`inquire ${corridor}`, { local, qrPayload }]);
      return Promise.resolve(answers.inquire ?? { outcome: 'unknown', cause: 'scripted silence' });
    },
    async find(question) {
      calls.push([`find ${corridor}`, question]);
      await answers.whileQueried();
      return answers.find;
    },
  };
}
