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
import { answerOf, PENDING, REFUSED } from '../../support/payments/answers';
import type { JournalEntry } from '../../chaos/sources/journal';
import { callAt, type ProviderCall } from '../checks/sendings';
import type { Choices } from '../run/choices';
import type { Fibers } from './fibers';
import type { Fate } from './postgres';
import { ACCOUNT } from '../../support/payments/accounts';
import {
  ABILITIES,
  AFTER_THE_END,
  COSTS,
  decided,
  inquiryOf,
  isFound,
  localFor,
  QUEUES,
  repeatsOtherAmount,
  spokenBy,
  type ProviderSettings,
} from './provider-settings';

const QUEUED_MS = 30_000;

interface Order extends PayoutOrder {
  readonly decidedAtMs: number;
}

interface SentOrder {
  readonly atMs: number;
  readonly code: string | null;
  readonly isTooDear: boolean;
}

const SILENT_MS = 120_000;
const LOSES_MS = 60_000;
/** The timeout of a query in the product; an order arrives within this time or never. */
const CALL_MS = 5_000;
const OWNER = 'provider';
/** Of the cost of an order of 12.50 USD. */
const BOUND = 12.5;
const PENDING_MS: Readonly<Record<string, number>> = {
  'pays after 3 s': 3_000,
  'declines after 30 s': 30_000,
  'pays after 5 min': 300_000,
};
const SILENCE = { outcome: 'unknown', cause: 'simulated silence' } as const;

export interface ProviderParts {
  /** By the row of the payment. */
  readonly isCaptured: () => Promise<boolean>;
  readonly fibers: Fibers;
  readonly choices: Choices;
  readonly settings: ProviderSettings;
}

export class SimulatedProvider {
  readonly journal: JournalEntry[];
  readonly calls: ProviderCall[];
  /** Each order that was sent. */
  readonly sent: SentOrder[];
  private order: Order | undefined;
  private isQueued = false;
  private refusals = 0;
  private queriesAfterTheEnd = 0;
  private firstSentAtMs = Number.POSITIVE_INFINITY;

  private readonly parts: ProviderParts;
  private readonly kind: ProviderSettings['kind'];
  private readonly adapter: ProviderSettings['adapter'];
  private readonly fibers: Fibers;
  private readonly account: string;
  /**
   * Its queries take no time, as no inquiry does: a fiber does one thing at a time, and a query to
   * the former account goes on meanwhile.
   */
  private readonly isLater: boolean;

  /** @param other whose records this account continues */
  constructor(parts: ProviderParts, account: string = ACCOUNT, other?: SimulatedProvider) {
    this.parts = parts;
    this.kind = parts.settings.kind;
    this.adapter = parts.settings.adapter;
    this.fibers = parts.fibers;
    this.account = account;
    this.isLater = other !== undefined;
    this.journal = other?.journal ?? [];
    this.calls = other?.calls ?? [];
    this.sent = other?.sent ?? [];
  }

  private get queue() {
    return QUEUES[this.parts.settings.queueKind];
  }

  /** Another account at the same provider. It has no order yet. */
  anotherAccount(name: string): SimulatedProvider {
    return new SimulatedProvider(this.parts, name, this);
  }

  get hasAmountMismatch(): boolean {
    return repeatsOtherAmount(this.parts.settings);
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

  /** Of an order that is sent next. */
  private get cost(): string {
    const { first, later } = COSTS[this.parts.settings.costKind];
    return this.sent.length === 0 ? first : later;
  }

  /** Only its statement shows that it has paid. */
  get isLying(): boolean {
    return this.kind === 'declines, and pays';
  }

  /** For good. */
  get isGivingBack(): boolean {
    return this.afterTheEnd?.at(-1) === 'returned';
  }

  private get abilities(): Declared {
    const own = ABILITIES[this.adapter];
    const askAfterPaidDays = this.afterTheEnd === undefined ? 0 : 2;
    const declineIsFinal = own.declineIsFinal && !this.isRevoking;
    const declared = { ...own, declineIsFinal, askAfterPaidDays };
    if (this.queue === undefined) return declared;
    return { ...declared, repeat: this.queue.repeat, notFoundIsProof: false };
  }

  private get afterTheEnd() {
    return AFTER_THE_END[this.kind];
  }

  private get isRevoking(): boolean {
    return this.kind.endsWith('revokes that after 3 s');
  }

  /** The provider for a process that can die before and after each call. */
  of(fate: Fate): PayoutProvider {
    return {
      account: this.account,
      abilities: this.abilities,
      pay: async (order, { isInTime, timeoutMs }) => {
        await this.fibers.sleep(1);
        await fate('provider.pay begins');
        if (!isInTime()) return { outcome: 'unknown', cause: 'too late to send' };
        const isTooDear = this.adapter !== 'http' && Number(this.cost) > BOUND;
        this.sent.push({ atMs: this.fibers.nowMs, code: order.qrPayload, isTooDear });
        const answer = await this.answer('pay', timeoutMs, () => this.acceptOrder(order));
        await fate('provider.pay ends');
        return answer;
      },
      find: async (question) => {
        const isKnown = isFound(this.adapter, question);
        const isOver = this.afterTheEnd !== undefined && (await this.parts.isCaptured());
        const reach = () => (this.isSilent() || !isKnown ? SILENCE : this.currentAnswer(isOver));
        if (this.isLater) return this.answerAtOnce(reach());
        await this.fibers.sleep(1);
        await fate('provider.find begins');
        return this.answer('find', CALL_MS, reach) as Promise<QueryAnswer>;
      },
      inquire: () => {
        const fate = this.parts.choices.fault('provider.inquire', ['', 'its answer is lost']);
        return Promise.resolve(fate === '' ? inquiryOf(this.cost) : SILENCE);
      },
    };
  }

  private async answer(
    call: 'pay' | 'find',
    timeoutMs: number,
    reach: () => PayoutOutcome,
  ): Promise<PayoutOutcome> {
    const fate = this.parts.choices.fault(`provider.${call}`, [
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

  private answerAtOnce(said: PayoutOutcome): QueryAnswer {
    const answer = this.spoken('find', said) as QueryAnswer;
    const { nowMs } = this.fibers;
    this.calls.push({ ...callAt(nowMs, 'find'), outcome: answer.outcome, endedAtMs: nowMs });
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
    if (this.queue !== undefined) return this.enqueue(order, this.queue.toRepeat);
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
    if (this.kind === 'calls an order a duplicate that it never had')
      return { outcome: 'duplicate' };
    if (this.kind === 'refuses orders for good') return { outcome: 'refused', code: 'compliance' };
    if (this.kind !== 'refuses two orders for too little balance') return undefined;
    this.refusals += 1;
    return this.refusals <= 2 ? REFUSED : undefined;
  }

  /** Until the order leaves the queue, the provider denies its key. */
  private enqueue(order: PayoutOrder, toRepeat: PayoutOutcome | undefined): PayoutOutcome {
    if (this.isQueued && toRepeat !== undefined) return toRepeat;
    this.isQueued = true;
    this.fibers.spawnAt(this.fibers.nowMs + QUEUED_MS, 'the order leaves the queue', OWNER, () => {
      if (toRepeat === undefined) this.order = undefined;
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

  private currentAnswer(isOver = false): QueryAnswer {
    const { order } = this;
    if (order === undefined) return { outcome: 'not_found' };
    const sinceMs = this.fibers.nowMs - order.decidedAtMs;
    if (sinceMs < 0) return PENDING;
    if (this.afterTheEnd === undefined || !isOver)
      return decided(this.parts.settings, order.amountUsdCents, sinceMs);
    const answer = this.afterTheEnd[this.queriesAfterTheEnd] ?? this.afterTheEnd.at(-1) ?? 'paid';
    this.queriesAfterTheEnd += 1;
    return answerOf(answer, order.amountUsdCents) as QueryAnswer;
  }

  private isSilent(): boolean {
    const isKind = this.kind === 'pays and is silent for 2 min';
    const sinceMs = this.fibers.nowMs - this.firstSentAtMs;
    return isKind && sinceMs >= 0 && sinceMs < SILENT_MS;
  }
}
