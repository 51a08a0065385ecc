// A payout provider. A setting of the life decides its answers and their delay, and what it
// guarantees: it may report another amount, decline a payout and pay it, refuse orders, or execute
// a key twice. Each answer may get lost.
import type { LocalAmount } from '../../../src/domain/money';
import type {
  Declared,
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  QueryAnswer,
} from '../../../src/ports/payout-provider';
import { DECLINED, paidIn, PENDING, REFUSED, returnedIn } from '../../support/payments/answers';
import type { JournalEntry } from '../../chaos/sources/journal';
import { callAt, type ProviderCall } from '../checks/sendings';
import type { Choices } from '../run/choices';
import type { Fibers } from './fibers';
import type { Fate } from './postgres';
import { ACCOUNT } from '../../support/payments/accounts';
import {
  ABILITIES,
  ADAPTERS,
  inquiryOf,
  isFound,
  localFor,
  spokenBy,
  type Adapter,
} from './adapters';

export const PROVIDER_SETTING = 'the provider';
const PROVIDERS = [
  'pays',
  'declines',
  'pays after 3 s',
  'declines after 30 s',
  'pays after 5 min',
  'pays and is silent for 2 min',
  'answers after 2 s',
  'executes at the last moment',
  'loses what it was sent, for 1 min',
  'reports another amount',
  'declines, and pays',
  'declines, and revokes that after 3 s',
  'refuses two orders for too little balance',
  'refuses orders for good',
  'returns the money',
] as const;
/** For 30 s the provider denies an order that it has accepted. Scripted lives only. */
const QUEUES = ['none', 'refuses repeats', 'pays repeats again'] as const;
const NO_LIFE_DRAWN = 0;
const QUEUED_MS = 30_000;
const REVOKED_MS = 3_000;

interface Order extends PayoutOrder {
  readonly decidedAtMs: number;
}

const SILENT_MS = 120_000;
const LOSES_MS = 60_000;
/** The timeout of a query in the product; an order arrives within this time or never. */
const CALL_MS = 5_000;
const OWNER = 'provider';
/** Of an order of 12.50 USD. */
const [FAIR, TOO_DEAR] = ['12.499', '12.51'] as const;
const PENDING_MS: Readonly<Record<string, number>> = {
  'pays after 3 s': 3_000,
  'declines after 30 s': 30_000,
  'pays after 5 min': 300_000,
};
const SILENCE = { outcome: 'unknown', cause: 'simulated silence' } as const;

export class SimulatedProvider {
  readonly journal: JournalEntry[] = [];
  readonly calls: ProviderCall[] = [];
  /** The scanned code of each order that was sent. */
  readonly codes: { readonly atMs: number; readonly code: string | null }[] = [];
  private readonly kind: (typeof PROVIDERS)[number];
  private readonly queueKind: (typeof QUEUES)[number];
  private readonly adapter: Adapter;
  private readonly cost: string;
  private order: Order | undefined;
  private isQueued = false;
  private refusals = 0;
  private firstSentAtMs = Number.POSITIVE_INFINITY;

  private readonly fibers: Fibers;
  private readonly choices: Choices;

  constructor(fibers: Fibers, choices: Choices) {
    this.fibers = fibers;
    this.choices = choices;
    this.kind = choices.setting(PROVIDER_SETTING, PROVIDERS);
    this.adapter = choices.setting('the adapter', ADAPTERS);
    this.cost = choices.rareSetting('the cost', [FAIR, TOO_DEAR]);
    this.queueKind = choices.rareSetting('the queue of the provider', QUEUES, NO_LIFE_DRAWN);
  }

  /** MusePay repeats no amount. */
  get hasAmountMismatch(): boolean {
    return this.kind === 'reports another amount' && this.adapter !== 'musepay';
  }

  /** The amount in the payer's code; null where orders are in cents. */
  get local(): LocalAmount | null {
    return localFor(this.adapter);
  }

  get isFoundByKey(): boolean {
    return this.abilities.findsByKey;
  }

  get isDenialProof(): boolean {
    return this.abilities.notFoundIsProof;
  }

  get isTooDear(): boolean {
    return this.adapter !== 'http' && this.cost !== FAIR;
  }

  /** Only its statement shows that it has paid. */
  get isLying(): boolean {
    return this.kind === 'declines, and pays';
  }

  private get abilities(): Declared {
    const own = ABILITIES[this.adapter];
    const declineIsFinal = own.declineIsFinal && !this.isRevoking;
    if (this.queueKind === 'none') return { ...own, declineIsFinal };
    const repeat = this.queueKind === 'refuses repeats' ? 'refused' : 'unsafe';
    return { ...own, declineIsFinal, repeat, notFoundIsProof: false };
  }

  private get isRevoking(): boolean {
    return this.kind.endsWith('revokes that after 3 s');
  }

  /** The provider for a process that can die before and after each call. */
  of(fate: Fate): PayoutProvider {
    return {
      account: ACCOUNT,
      abilities: this.abilities,
      pay: async (order, { isInTime, timeoutMs }) => {
        await this.fibers.sleep(1);
        await fate('provider.pay begins');
        if (!isInTime()) return { outcome: 'unknown', cause: 'too late to send' };
        this.codes.push({ atMs: this.fibers.nowMs, code: order.qrPayload });
        const answer = await this.answer('pay', timeoutMs, () => this.acceptOrder(order));
        await fate('provider.pay ends');
        return answer;
      },
      find: async (question) => {
        await this.fibers.sleep(1);
        await fate('provider.find begins');
        const isKnown = isFound(this.adapter, question);
        return this.answer('find', CALL_MS, () =>
          this.isSilent() || !isKnown ? SILENCE : this.currentAnswer(),
        ) as Promise<QueryAnswer>;
      },
      // It takes no time: a fiber does one thing at a time, and a query goes on meanwhile.
      inquire: () => {
        const fate = this.choices.fault('provider.inquire', ['', 'its answer is lost']);
        return Promise.resolve(fate === '' ? inquiryOf(this.cost) : SILENCE);
      },
    };
  }

  private async answer(
    call: 'pay' | 'find',
    timeoutMs: number,
    reach: () => PayoutOutcome,
  ): Promise<PayoutOutcome> {
    const fate = this.choices.fault(`provider.${call}`, [
      '',
      'it is not reached',
      'its answer is lost',
    ]);
    const made = callAt(this.fibers.nowMs, call);
    this.calls.push(made);
    const answer = fate === 'it is not reached' ? SILENCE : this.spoken(call, reach());
    const answersAfterMs = call === 'pay' && this.kind === 'answers after 2 s' ? 2_000 : 0;
    if (fate !== '' || answer === SILENCE || answersAfterMs > timeoutMs) {
      await this.fibers.sleep(timeoutMs);
      return SILENCE;
    }
    if (answersAfterMs > 0) await this.fibers.sleep(answersAfterMs);
    made.outcome = answer.outcome;
    made.endedAtMs = this.fibers.nowMs;
    return answer;
  }

  private spoken(call: 'pay' | 'find', answer: PayoutOutcome): PayoutOutcome {
    if (answer === SILENCE) return SILENCE;
    return spokenBy(this.adapter, { call, isOtherAmount: this.hasAmountMismatch }, answer);
  }

  private acceptOrder(order: PayoutOrder): PayoutOutcome {
    this.firstSentAtMs = Math.min(this.firstSentAtMs, this.fibers.nowMs);
    const refusal = this.refuse();
    if (refusal !== undefined) return refusal;
    if (this.queueKind !== 'none') return this.queue(order);
    const isLost = this.kind === 'loses what it was sent, for 1 min';
    if (isLost && this.fibers.nowMs < this.firstSentAtMs + LOSES_MS) return SILENCE;
    if (this.kind === 'executes at the last moment' && this.order === undefined) {
      // Our side has timed out by then: the order arrives as late as possible.
      const arrivesAtMs = this.fibers.nowMs + CALL_MS - 1;
      this.fibers.spawnAt(arrivesAtMs, 'the order arrives', OWNER, () => {
        this.storeOrder(order);
        return Promise.resolve();
      });
      return SILENCE;
    }
    this.storeOrder(order);
    return this.isSilent() ? SILENCE : this.currentAnswer();
  }

  private refuse(): PayoutOutcome | undefined {
    if (this.kind === 'refuses orders for good') return { outcome: 'refused', code: 'compliance' };
    if (this.kind !== 'refuses two orders for too little balance') return undefined;
    this.refusals += 1;
    return this.refusals <= 2 ? REFUSED : undefined;
  }

  /** Until the order leaves the queue, the provider denies its key. */
  private queue(order: PayoutOrder): PayoutOutcome {
    const refusesRepeats = this.queueKind === 'refuses repeats';
    if (this.isQueued && refusesRepeats) return { outcome: 'duplicate' };
    this.isQueued = true;
    this.fibers.spawnAt(this.fibers.nowMs + QUEUED_MS, 'the order leaves the queue', OWNER, () => {
      if (!refusesRepeats) this.order = undefined;
      this.storeOrder(order);
      return Promise.resolve();
    });
    return PENDING;
  }

  /** Stores only the first order of a key. MusePay promises nothing, so it executes another. */
  private storeOrder(order: PayoutOrder): void {
    if (this.order !== undefined && this.adapter !== 'musepay') return;
    const decidedAtMs = this.fibers.nowMs + (PENDING_MS[this.kind] ?? 0);
    this.order = { ...order, decidedAtMs };
    const isPaid = !this.kind.startsWith('declines') || this.isLying || this.isRevoking;
    if (!isPaid || this.kind === 'returns the money') return;
    this.journal.push({
      key: order.key,
      amount_usd_cents: order.amountUsdCents,
      corridor: order.corridor,
      executed_at: new Date(decidedAtMs).toISOString(),
    });
  }

  private currentAnswer(): QueryAnswer {
    const { order } = this;
    if (order === undefined) return { outcome: 'not_found' };
    if (this.fibers.nowMs < order.decidedAtMs) return PENDING;
    const isRevoked = this.isRevoking && this.fibers.nowMs >= order.decidedAtMs + REVOKED_MS;
    if (this.kind.startsWith('declines') && !isRevoked) return DECLINED;
    if (this.kind === 'returns the money') return returnedIn(order.amountUsdCents);
    return this.hasAmountMismatch
      ? paidIn(order.amountUsdCents + 100)
      : paidIn(order.amountUsdCents);
  }

  private isSilent(): boolean {
    const isKind = this.kind === 'pays and is silent for 2 min';
    const sinceMs = this.fibers.nowMs - this.firstSentAtMs;
    return isKind && sinceMs >= 0 && sinceMs < SILENT_MS;
  }
}
