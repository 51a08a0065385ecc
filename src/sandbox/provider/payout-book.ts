// The sandbox provider's behaviour without HTTP (architecture, section 6): its replies to POST and
// GET. It executes a key at most once, over any number of repeats, kill -9 and restarts;
// scenarios.ts decides what happens to which amount. Two durable files hold its state: the journal
// of executed payments, and notes of the faults given and of when an order was accepted.
import { join } from 'node:path';
import type { FailureCode } from '../../domain/payouts/permissions';
import type { Clock } from '../../ports/clock';
import type { Log } from '../../ports/observe';
import { JsonLines } from '../json-lines';
import { scenarioFor } from '../scenarios';
import type { Cancel, Schedule } from '../schedule';
import { isSameLocal, localFor, type WireLocal } from './local-amounts';
import { isRepeat, orderIn, restore, wireOrder, type Order, type PayoutRequest } from './orders';
import type { Quotes } from './quotes';
import { termsOf } from './terms';

/**
 * The index holds one small record per key for ever; beyond this many the sandbox folder must be
 * emptied.
 */
const ORDERS_MAX = 1_000_000;

interface PayoutAnswer {
  readonly kind: 'answer';
  readonly key: string;
  readonly status: 'paid' | 'pending' | 'declined' | 'returned';
  /** The amount that the provider reports; in one scenario it differs from the executed amount. */
  readonly amountUsdCents: number;
  readonly local: WireLocal;
}

/** `other_order`: the key belongs to another order. `full`: no room for another order. */
export type PayoutReply =
  | PayoutAnswer
  | { readonly kind: 'unknown_key'; readonly key: string }
  | { readonly kind: 'refused'; readonly key: string; readonly code: FailureCode }
  | { readonly kind: 'error_500' | 'other_order' | 'full' }
  | { readonly kind: 'connection_reset' | 'no_answer' };

export interface PayoutBookDeps {
  /** The folder of the journal and the notes. */
  readonly directory: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
}

/**
 * The balance in cents when nothing is paid: more than a million payouts of the maximum, so that it
 * never becomes negative.
 */
const BALANCE_USD_CENTS = 200_000_000_000_000;

export class PayoutBook {
  readonly #deps: PayoutBookDeps;
  readonly #orders: Map<string, Order>;
  readonly #journal: JsonLines;
  readonly #notes: JsonLines;
  readonly #timers = new Set<Cancel>();

  private constructor(
    deps: PayoutBookDeps,
    orders: Map<string, Order>,
    files: readonly [JsonLines, JsonLines],
  ) {
    this.#deps = deps;
    this.#orders = orders;
    [this.#journal, this.#notes] = files;
    for (const order of orders.values()) this.#executeWhenDue(order);
  }

  /**
   * Opens the files and restarts the timers of orders that were pending when the last process
   * exited.
   * @throws Error when one of the files is not a file of this sandbox
   */
  static async open(deps: PayoutBookDeps): Promise<PayoutBook> {
    const orders = new Map<string, Order>();
    const open = (name: string) =>
      JsonLines.open(join(deps.directory, name), (entry) => {
        restore(orders, entry);
      });
    const notes = await open('payout-notes.jsonl');
    const journal = await open('payouts.jsonl').catch(async (error: unknown) => {
      await notes.close();
      throw error;
    });
    return new PayoutBook(deps, orders, [journal, notes]);
  }

  /**
   * Idempotent by key. A payment is in the journal before the reply says `paid`. Only an order that
   * is not accepted yet can be refused, because its quote may have expired since.
   */
  async receive(request: PayoutRequest, quotes: Quotes): Promise<PayoutReply> {
    const known = this.#orders.get(request.key);
    if (known === undefined && this.#orders.size >= ORDERS_MAX) return { kind: 'full' };
    if (known !== undefined && !isRepeat(known, request)) return { kind: 'other_order' };
    const rejection = await this.#accepting(request, quotes);
    if (rejection !== undefined) return rejection;
    const order = orderIn(this.#orders, request);
    const reply = await this.#replyTo(order);
    return scenarioFor(order.amountUsdCents).answersPost ? reply : { kind: 'no_answer' };
  }

  /** Accepts a new order, or says how this request fails. An accepted order stays as it is. */
  async #accepting(request: PayoutRequest, quotes: Quotes): Promise<PayoutReply | undefined> {
    if (this.#orders.get(request.key)?.accepted !== undefined) return undefined;
    const terms = termsOf(request, quotes);
    if ('refused' in terms) return { kind: 'refused', key: request.key, code: terms.refused };
    const order = orderIn(this.#orders, request);
    const fault = await this.#nextFault(order);
    if (fault === undefined) this.#accept(order, terms.local);
    return fault;
  }

  /** What is left in cents: executed payments leave it, and returned ones come back. */
  availableUsdCents(): number {
    let cents = BALANCE_USD_CENTS;
    for (const order of this.#orders.values()) {
      if (order.execution !== undefined && !this.#isReturned(order)) cents -= order.amountUsdCents;
    }
    return cents;
  }

  async find(key: string): Promise<PayoutReply> {
    const order = this.#orders.get(key);
    return order?.accepted === undefined ? { kind: 'unknown_key', key } : this.#replyTo(order);
  }

  /** The journal's lines exactly as in the file, oldest first, each a JSON object. */
  journal(): AsyncIterable<string> {
    return this.#journal.read();
  }

  async close(): Promise<void> {
    for (const cancel of this.#timers) cancel();
    await Promise.all([this.#journal.close(), this.#notes.close()]);
  }

  /** How this request fails, if it does. */
  async #nextFault(order: Order): Promise<PayoutReply | undefined> {
    const fault = scenarioFor(order.amountUsdCents).faults[order.faultsGiven];
    if (fault === undefined) return undefined;
    order.faultsGiven += 1;
    await this.#notes.append({ ...wireOrder(order), faults_given: order.faultsGiven });
    if (fault !== 'refused') return { kind: fault };
    return { kind: fault, key: order.key, code: 'insufficient_balance' };
  }

  /**
   * Accepts an order once. An order that is paid at once, and at the fixed rate, needs no note: its
   * line in the journal is enough.
   */
  #accept(order: Order, local: WireLocal): void {
    if (order.accepted !== undefined) return;
    const { pendingMs, decision } = scenarioFor(order.amountUsdCents);
    const now = this.#deps.clock.now();
    const isAtRate = isSameLocal(local, localFor(order.corridor, order.amountUsdCents));
    if (!isAtRate) order.local = local;
    const note = {
      ...{ ...wireOrder(order), accepted_at: now.toISOString() },
      ...(isAtRate ? {} : { local_amount: local.amount }),
    };
    const hasNote = pendingMs > 0 || decision !== 'paid' || !isAtRate;
    const recorded = hasNote ? this.#notes.append(note) : Promise.resolve();
    order.accepted = { atMs: now.getTime(), recorded };
    this.#executeWhenDue(order);
  }

  /**
   * The current state of an accepted order. A paid order is executed before it is reported as paid.
   */
  async #replyTo(order: Order): Promise<PayoutReply> {
    const { key, amountUsdCents, corridor } = order;
    const { decision, reportedExtraCents } = scenarioFor(amountUsdCents);
    await order.accepted?.recorded;
    if (decision === 'never') return { kind: 'no_answer' };
    const isPending = this.#dueInMs(order) > 0;
    if (!isPending && decision === 'paid') await this.#execute(order);
    const ended = this.#isReturned(order) ? 'returned' : decision;
    const reportedCents = amountUsdCents + reportedExtraCents;
    return {
      ...({ kind: 'answer', key, status: isPending ? 'pending' : ended } as const),
      amountUsdCents: reportedCents,
      local: order.local ?? localFor(corridor, reportedCents),
    };
  }

  /** Executes the payment once, and resolves when that is durable. */
  async #execute(order: Order): Promise<void> {
    order.execution ??= this.#startExecution(order);
    await order.execution.recorded;
  }

  #startExecution(order: Order): NonNullable<Order['execution']> {
    const now = this.#deps.clock.now();
    const line = { ...wireOrder(order), executed_at: now.toISOString() };
    return { atMs: now.getTime(), recorded: this.#journal.append(line) };
  }

  /** The payee's bank has sent the money back. The journal keeps the execution. */
  #isReturned({ execution, amountUsdCents }: Order): boolean {
    const { returnedAfterMs } = scenarioFor(amountUsdCents);
    if (execution === undefined || returnedAfterMs === null) return false;
    return this.#deps.clock.now().getTime() >= execution.atMs + returnedAfterMs;
  }

  /** Executes a pending order when it is due, also without a further request. */
  #executeWhenDue(order: Order): void {
    const { decision, pendingMs } = scenarioFor(order.amountUsdCents);
    const isWaiting = order.accepted !== undefined && order.execution === undefined;
    if (!isWaiting || decision !== 'paid' || pendingMs === 0) return;
    const cancel = this.#deps.schedule(Math.max(0, this.#dueInMs(order)), () => {
      this.#timers.delete(cancel);
      this.#execute(order).catch((cause: unknown) => {
        this.#deps.log.error({ key: order.key, err: cause }, 'a due payout could not be executed');
      });
    });
    this.#timers.add(cancel);
  }

  #dueInMs({ accepted, amountUsdCents }: Order): number {
    if (accepted === undefined) return Infinity;
    const { pendingMs } = scenarioFor(amountUsdCents);
    return accepted.atMs + pendingMs - this.#deps.clock.now().getTime();
  }
}
