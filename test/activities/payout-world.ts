// Debited intents in the real journal, a clock that may jump, and providers by script that note what they are asked: what
// the payout activity is tried on.
import {
  createPayoutActivities,
  type AtOnceResult,
  type PayoutRequest,
  type PayoutResult,
} from '../../activities/payout';
import type { Corridor } from '../../src/domain/corridor';
import { stepKey, type IntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { PayoutJournal } from '../../src/ports/payouts/journal';
import type { PayoutOrder, PayoutOutcome, PayoutProvider } from '../../src/ports/payouts/provider';
import { createDatabase, type Database } from '../../src/postgres/database';
import { createIntentStore } from '../../src/postgres/intents/store';
import { createPayoutLock } from '../../src/postgres/payouts/lock';
import { createPayoutJournal } from '../../src/postgres/payouts/journal';
import { anEventId, anIntent, aTokenUse, type TestBed, move } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { SILENT } from '../support/silent-log';
import type { TestPartner } from '../support/payments/partner';
import { recordSent } from '../support/payments/payouts';
import { withDatabase, withPartner } from '../support/brackets';

export const PATIENCE_SECONDS = 900;
export const CENTS = 1_250;

/** What a provider may answer about this amount. */
export const ANSWERS = {
  paid: { outcome: 'paid', amountUsdCents: CENTS },
  declined: { outcome: 'declined', amountUsdCents: CENTS },
  pending: { outcome: 'pending', amountUsdCents: CENTS },
  unknown: { outcome: 'unknown', cause: 'timeout after 5 s' },
  notFound: { outcome: 'not_found' },
} as const satisfies Readonly<Record<string, PayoutOutcome>>;

export interface Wish {
  /** How long the worker is held up after it has recorded an attempt. */
  readonly heldUpMs?: number;
  /** How long ago the payout was first sent, without an answer. */
  readonly sentSecondsAgo?: number;
  readonly standing?: 'not_authorized' | 'judged_by_operations';
  readonly isEndpointFast?: boolean;
  readonly corridor?: Corridor;
  readonly qrPayload?: string;
  readonly pay?: PayoutOutcome;
  readonly find?: PayoutOutcome;
  /** What happens while the provider is queried. */
  readonly whileQueried?: (bed: TestBed) => Promise<unknown>;
  readonly isJournalAway?: boolean;
  /** Whether Postgres is away once the provider has been asked. */
  readonly isRowAway?: boolean;
  /** What becomes of the row while the provider is asked. */
  readonly meanwhile?: (bed: TestBed, intentId: IntentId) => Promise<unknown>;
}

interface Ground {
  readonly bed: TestBed;
  readonly partner: TestPartner;
}

const PAID: PayoutOutcome = { outcome: 'paid', amountUsdCents: CENTS };

/** Nobody listens there. */
const nowhere = createDatabase({
  url: 'postgres://postgres@127.0.0.1:1/postgres',
  poolSize: 1,
  onLostConnection: () => undefined,
});

const intentsOf = (database: Database) =>
  createIntentStore({ database, environment: 'sandbox', makeEventId: anEventId });

/** Payouts on a database of their own. */
export function withPayouts() {
  const bed = withDatabase();
  const partner = withPartner(bed, { webhookUrl: 'https://partner.example/told' });
  return {
    aPayout: (wish: Wish) => aPayout({ bed, partner }, wish),
    /** The time since noon, at which each payout begins. */
    setSeconds: (seconds: number) => bed.setNow(secondsAfter(NOON, seconds)),
  };
}

/** A debited intent in the real journal, providers that answer as told, and everything they were asked, in order. */
async function aPayout({ bed, partner }: Ground, wish: Wish) {
  const { pay = PAID, find = PAID, heldUpMs = 0 } = wish;
  await bed.setNow(NOON);
  const intent = await aPayable({ bed, partner }, wish);
  const { intentId } = intent;
  const { asked, steps, both } = createTrace();
  const kept: IntentId[] = [];
  const answers = { pay, find, whileQueried: async () => wish.whileQueried?.(bed) };
  const journal = wish.isJournalAway === true ? createPayoutJournal(nowhere) : bed.payoutJournal;
  const intents = wish.isRowAway === true ? intentsOf(nowhere) : bed.intents;
  const { payOut, payOutAtOnce } = createPayoutActivities({
    intents: {
      ...intents,
      async transition(command) {
        steps.push([command.event, command.intentId]);
        await wish.meanwhile?.(bed, command.intentId);
        return intents.transition(command);
      },
    },
    log: SILENT,
    providers: {
      th_qrpay: noted(answers, both, 'th_qrpay'),
      vn_qrpay: noted(answers, both, 'vn_qrpay'),
    },
    payoutJournal: notedJournal(journal, both, kept),
    endpointSpeeds: { isFast: () => wish.isEndpointFast === true },
    startStopwatch: () => () => heldUpMs,
    payoutUnknownSeconds: PATIENCE_SECONDS,
  });
  const request = requestOf(intent);
  const order = orderOf(intent, wish);
  return {
    ...{ asked, steps, kept },
    async standing() {
      const { status, eventId } = await bed.intents.standing(intentId);
      return { status, eventId };
    },
    begun: ['begin', intentId] as const,
    recorded: ['record', intentId] as const,
    order,
    payOutAtOnce: (): Promise<AtOnceResult> =>
      payOutAtOnce({ ...request, partnerId: partner.partnerId }),
    payOut: (change: Partial<PayoutRequest> = {}): Promise<PayoutResult> =>
      payOut({ ...request, ...change }),
  };
}

function requestOf({ intentId, amountUsdCents, corridor, createdAt }: PaymentIntent) {
  const payout = { intentId, amountUsdCents, corridor, createdAtMs: createdAt.getTime() };
  return { ...payout, isAttentionRaised: false, mayHaveBeenSent: false };
}

function orderOf({ intentId, amountUsdCents, corridor }: PaymentIntent, wish: Wish): PayoutOrder {
  const key = stepKey(intentId, 'payout');
  return { key, amountUsdCents, corridor, qrPayload: wish.qrPayload ?? null };
}

type Step = readonly [string, unknown];
type Trace = Pick<Step[], 'push'>;

/** `steps`: what journal, provider and row were asked, in order. `asked`: the same without the row. */
function createTrace() {
  const [asked, steps]: [Step[], Step[]] = [[], []];
  const both: Trace = {
    push(...more) {
      asked.push(...more);
      return steps.push(...more);
    },
  };
  return { asked, steps, both };
}

/** The journal as it is, with what it was asked, and of what it was told that the provider has it. */
function notedJournal(journal: PayoutJournal, asked: Trace, kept: IntentId[]): PayoutJournal {
  return {
    async recordFirstSending(id, terms) {
      asked.push(['record', id]);
      return journal.recordFirstSending(id, terms);
    },
    async beginAttempt(id, terms) {
      asked.push(['begin', id]);
      return journal.beginAttempt(id, terms);
    },
    async recordSending(id, number, terms) {
      asked.push(['record', id]);
      return journal.recordSending(id, number, terms);
    },
    async markAccepted(id) {
      kept.push(id);
      await journal.markAccepted(id);
    },
  };
}

async function aPayable({ bed, partner }: Ground, wish: Wish): Promise<PaymentIntent> {
  const { sentSecondsAgo, standing, corridor = 'th_qrpay', qrPayload } = wish;
  const intent = await anIntent(bed, partner, { corridor });
  const { intentId, amountUsdCents } = intent;
  const token = aTokenUse(partner);
  if (qrPayload !== undefined) await bed.tokens.keepPayload(intentId, token, qrPayload);
  const authorize = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
  await bed.intents.transition({ ...authorize, token });
  await bed.funds.debit(intentId, amountUsdCents);
  if (sentSecondsAgo !== undefined) {
    await bed.setNow(secondsAfter(NOON, -sentSecondsAgo));
    await recordSent(bed, intentId);
    await bed.setNow(NOON);
  }
  if (standing === 'not_authorized') {
    await move(bed, intentId, 'fail');
  }
  if (standing === 'judged_by_operations') {
    await createPayoutLock(bed.database).lock(intentId);
  }
  return intent;
}

interface Answers {
  readonly pay: PayoutOutcome;
  readonly find: PayoutOutcome;
  readonly whileQueried: () => Promise<unknown>;
}

/** A provider that answers so, with what it was sent and asked. */
function noted(answers: Answers, asked: Trace, corridor: Corridor): PayoutProvider {
  return {
    pay(order, { isInTime }) {
      if (!isInTime()) return Promise.resolve({ outcome: 'unknown', cause: 'too late to send' });
      asked.push([`pay ${corridor}`, order]);
      return Promise.resolve(answers.pay);
    },
    async find(question) {
      asked.push([`find ${corridor}`, question]);
      await answers.whileQueried();
      return answers.find;
    },
  };
}
