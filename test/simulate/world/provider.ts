// A payout provider that executes a key at most once. It may report another amount, or decline a
// payout and pay it. A setting of the life decides its answers and their delay; each answer may get
// lost.
import type { PayoutOrder, PayoutOutcome, PayoutProvider } from '../../../src/ports/payouts';
import type { JournalEntry } from '../../chaos/sources/journal';
import { callAt, type ProviderCall } from '../checks/sendings';
import type { Choices } from '../run/choices';
import type { Fibers } from './fibers';
import type { Fate } from './postgres';

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
] as const;

interface Order extends PayoutOrder {
  readonly decidedAtMs: number;
}

const SILENT_MS = 120_000;
const LOSES_MS = 60_000;
/** The timeout of a query in the product; an order arrives within this time or never. */
const CALL_MS = 5_000;
const OWNER = 'provider';
const PENDING_MS: Readonly<Record<string, number>> = {
  'pays after 3 s': 3_000,
  'declines after 30 s': 30_000,
  'pays after 5 min': 300_000,
};
const SILENCE: PayoutOutcome = { outcome: 'unknown', cause: 'simulated silence' };

export class SimulatedProvider {
  readonly journal: JournalEntry[] = [];
  readonly calls: ProviderCall[] = [];
  /** The scanned code of each order that was sent. */
  readonly codes: { readonly atMs: number; readonly code: string | null }[] = [];
  private readonly kind: (typeof PROVIDERS)[number];
  private order: Order | undefined;
  private firstSentAtMs = Number.POSITIVE_INFINITY;

  private readonly fibers: Fibers;
  private readonly choices: Choices;

  constructor(fibers: Fibers, choices: Choices) {
    this.fibers = fibers;
    this.choices = choices;
    this.kind = choices.setting(PROVIDER_SETTING, PROVIDERS);
  }

  get hasAmountMismatch(): boolean {
    return this.kind === 'reports another amount';
  }

  /** Only its statement shows that it has paid. */
  get isLying(): boolean {
    return this.kind === 'declines, and pays';
  }

  /** The provider for a process that can die before and after each call. */
  of(fate: Fate): PayoutProvider {
    return {
      pay: async (order, { isInTime, timeoutMs }) => {
        await this.fibers.sleep(1);
        await fate('provider.pay begins');
        if (!isInTime()) return { outcome: 'unknown', cause: 'too late to send' };
        this.codes.push({ atMs: this.fibers.nowMs, code: order.qrPayload });
        const answer = await this.answer('pay', timeoutMs, () => this.acceptOrder(order));
        await fate('provider.pay ends');
        return answer;
      },
      find: async () => {
        await this.fibers.sleep(1);
        await fate('provider.find begins');
        return this.answer('find', CALL_MS, () =>
          this.isSilent() ? SILENCE : this.currentAnswer(),
        );
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
    const answer = fate === 'it is not reached' ? SILENCE : reach();
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

  private acceptOrder(order: PayoutOrder): PayoutOutcome {
    this.firstSentAtMs = Math.min(this.firstSentAtMs, this.fibers.nowMs);
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

  /** Stores only the first order of a key. */
  private storeOrder(order: PayoutOrder): void {
    if (this.order !== undefined) return;
    const decidedAtMs = this.fibers.nowMs + (PENDING_MS[this.kind] ?? 0);
    this.order = { ...order, decidedAtMs };
    if (this.kind.startsWith('declines') && !this.isLying) return;
    this.journal.push({
      key: order.key,
      amount_usd_cents: order.amountUsdCents,
      corridor: order.corridor,
      executed_at: new Date(decidedAtMs).toISOString(),
    });
  }

  private currentAnswer(): PayoutOutcome {
    const { order } = this;
    if (order === undefined) return { outcome: 'not_found' };
    const { amountUsdCents } = order;
    if (this.fibers.nowMs < order.decidedAtMs) return { outcome: 'pending', amountUsdCents };
    if (this.kind.startsWith('declines')) return { outcome: 'declined', amountUsdCents };
    return { outcome: 'paid', amountUsdCents: this.reportedCents(order) };
  }

  private reportedCents({ amountUsdCents }: PayoutOrder): number {
    return this.hasAmountMismatch ? amountUsdCents + 100 : amountUsdCents;
  }

  private isSilent(): boolean {
    const isKind = this.kind === 'pays and is silent for 2 min';
    const sinceMs = this.fibers.nowMs - this.firstSentAtMs;
    return isKind && sinceMs >= 0 && sinceMs < SILENT_MS;
  }
}
