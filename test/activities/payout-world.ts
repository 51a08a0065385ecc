// Debited intents in the real journal, a clock that may jump, and providers by script that note what they are asked: what
// the payout activity is tried on.
import { createPayoutActivities, type PayoutRequest } from '../../activities/payout';
import type { Corridor } from '../../src/domain/corridor';
import { stepKey, type IntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { PayoutJournal } from '../../src/ports/payout-journal';
import type { PayoutOrder, PayoutOutcome, PayoutProvider } from '../../src/ports/payout-provider';
import { createDatabase, type Database } from '../../src/postgres/database';
import { createIntentStore } from '../../src/postgres/intent-store';
import { createPayoutGate } from '../../src/postgres/payout-gate';
import { createPayoutJournal } from '../../src/postgres/payout-journal';
import {
  anAttemptId,
  anEventId,
  anIntent,
  aTokenUse,
  type TestBed,
  move,
} from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { SILENT } from '../support/silent-log';
import type { TestPartner } from '../support/partner';
import { scriptedProviders } from '../support/scripted-provider';
import { withDatabase, withPartner } from '../support/brackets';

export const PATIENCE_SECONDS = 900;
export const CENTS = 1_250;

export interface Wish {
  /** How long the worker is held up after it has recorded an attempt. */
  readonly heldUpMs?: number;
  /** How long ago the payout was first sent; it never was unless told. */
  readonly firstSentSecondsAgo?: number;
  /** By Temporal's count; 1 unless given. */
  readonly attemptNumber?: number;
  /** Whether that attempt has not ended yet. */
  readonly isUnderWay?: boolean;
  readonly standing?: 'not_authorized' | 'judged_by_operations';
  readonly corridor?: Corridor;
  readonly qrPayload?: string;
  readonly pay?: PayoutOutcome;
  readonly find?: PayoutOutcome;
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
  return { aPayout: (wish: Wish) => aPayout({ bed, partner }, wish) };
}

/** A debited intent in the real journal, providers that answer as told, and everything they were asked, in order. */
async function aPayout({ bed, partner }: Ground, wish: Wish) {
  const { pay = PAID, find = PAID, heldUpMs = 0, firstSentSecondsAgo } = wish;
  const intent = await aPayable({ bed, partner }, wish);
  const { intentId, amountUsdCents, corridor } = intent;
  const { asked, steps, both } = createTrace();
  const kept: IntentId[] = [];
  const answers = firstSentSecondsAgo === undefined ? [pay, find] : [find, pay];
  const journal = wish.isJournalAway === true ? createPayoutJournal(nowhere) : bed.payoutJournal;
  const intents = wish.isRowAway === true ? intentsOf(nowhere) : bed.intents;
  const { payOut } = createPayoutActivities({
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
      th_qrpay: noted(scriptedProviders(answers, []).th_qrpay, both, 'th_qrpay'),
      vn_qrpay: noted(scriptedProviders(answers, []).vn_qrpay, both, 'vn_qrpay'),
    },
    payoutJournal: notedJournal(journal, both, kept),
    startStopwatch: () => () => heldUpMs,
    ...{ makeAttemptId: anAttemptId, attemptNumber: countOf(wish) },
    payoutUnknownSeconds: PATIENCE_SECONDS,
  });
  const request = {
    ...{ intentId, amountUsdCents, corridor, isAttentionRaised: false, mayHaveBeenSent: false },
    createdAtMs: intent.createdAt.getTime(),
  };
  const order: PayoutOrder = {
    key: stepKey(intentId, 'payout'),
    amountUsdCents,
    corridor,
    qrPayload: wish.qrPayload ?? null,
  };
  return {
    ...{ asked, steps, kept },
    async standing() {
      const { status, eventId } = await bed.intents.standing(intentId);
      return { status, eventId };
    },
    next: () => bed.payoutJournal.beginAttempt(intentId, anAttemptId()),
    begun: ['begin', intentId] as const,
    order,
    payOut: (change: Partial<PayoutRequest> = {}) => payOut({ ...request, ...change }),
  };
}

const countOf =
  ({ attemptNumber = 1 }: Wish) =>
  () =>
    attemptNumber;

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
    async beginAttempt(id, attemptId, terms) {
      asked.push(['begin', id]);
      return journal.beginAttempt(id, attemptId, terms);
    },
    endAttempt: (id, attemptId) => journal.endAttempt(id, attemptId),
    async noteTaken(id) {
      kept.push(id);
      await journal.noteTaken(id);
    },
  };
}

async function aPayable({ bed, partner }: Ground, wish: Wish): Promise<PaymentIntent> {
  const { firstSentSecondsAgo, standing, corridor = 'th_qrpay', qrPayload } = wish;
  const intent = await anIntent(bed, partner, { corridor });
  const { intentId, amountUsdCents } = intent;
  const token = aTokenUse(partner);
  if (qrPayload !== undefined) await bed.tokens.keepPayload(intentId, token, qrPayload);
  const authorize = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
  await bed.intents.transition({ ...authorize, token });
  await bed.funds.debit(intentId, amountUsdCents);
  if (firstSentSecondsAgo !== undefined) {
    await bed.setNow(secondsAfter(NOON, -firstSentSecondsAgo));
    const attemptId = anAttemptId();
    await bed.payoutJournal.beginAttempt(intentId, attemptId);
    if (wish.isUnderWay !== true) await bed.payoutJournal.endAttempt(intentId, attemptId);
    await bed.setNow(NOON);
  }
  if (standing === 'not_authorized') {
    await move(bed, intentId, 'fail');
  }
  if (standing === 'judged_by_operations') {
    await createPayoutGate(bed.database).close(intentId);
  }
  return intent;
}

/** The provider as it is, with what it was sent and asked. */
function noted(provider: PayoutProvider, asked: Trace, corridor: Corridor): PayoutProvider {
  return {
    pay(order, isInTime) {
      if (isInTime()) asked.push([`pay ${corridor}`, order]);
      return provider.pay(order, isInTime);
    },
    find(question) {
      asked.push([`find ${corridor}`, question]);
      return provider.find(question);
    },
  };
}
