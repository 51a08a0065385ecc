// The sandbox provider's behaviour without HTTP (architecture, section 6): its replies to POST and
// GET. It executes a key at most once, over any number of repeats, kill -9 and restarts;
// scenarios.ts decides what happens to which amount. Two durable files hold its state: the journal
// of executed payments, and notes of the faults given and of when an order was accepted.
import { join } from 'node:path';
import { isCorridor, type Corridor } from '../corridors/names';
import { isUsdCents } from '../domain/money';
import type { Clock } from '../ports/clock';
import type { Log } from '../ports/observe';
import { JsonLines } from './json-lines';
import { membersOf, type Members } from './json-members';
import { scenarioFor } from './scenarios';
import type { Cancel, Schedule } from './schedule';

/**
 * The index holds one small record per key for ever; beyond this many the sandbox folder must be
 * emptied.
 */
const ORDERS_MAX = 1_000_000;

export interface PayoutRequest {
  readonly key: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
}

interface PayoutAnswer {
  readonly kind: 'answer';
  readonly key: string;
  readonly status: 'paid' | 'pending' | 'declined';
  /** The amount that the provider reports; in one scenario it differs from the executed amount. */
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
}

/**
 * `other_order`: the key belongs to another amount or corridor. `full`: no room for another order.
 */
export type PayoutReply =
  | PayoutAnswer
  | { readonly kind: 'unknown_key' | 'refused'; readonly key: string }
  | { readonly kind: 'error_500' | 'other_order' | 'full' }
  | { readonly kind: 'connection_reset' | 'no_answer' };

export interface PayoutBookDeps {
  /** The folder of the journal and the notes. */
  readonly directory: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
}

interface Order extends PayoutRequest {
  faultsGiven: number;
  /**
   * When the order was accepted, milliseconds since 1970, and its record, which every reply awaits.
   */
  accepted: { readonly atMs: number; readonly recorded: Promise<void> } | undefined;
  /** The one execution, once begun; every later request awaits it. */
  execution: Promise<void> | undefined;
}

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

  /** Idempotent by key. A payment is in the journal before the reply says `paid`. */
  async receive(request: PayoutRequest): Promise<PayoutReply> {
    if (!this.#orders.has(request.key) && this.#orders.size >= ORDERS_MAX) return { kind: 'full' };
    const order = orderIn(this.#orders, request);
    const { amountUsdCents, corridor } = request;
    if (order.amountUsdCents !== amountUsdCents || order.corridor !== corridor) {
      return { kind: 'other_order' };
    }
    const scenario = scenarioFor(amountUsdCents);
    const fault = scenario.faults[order.faultsGiven];
    if (fault !== undefined) {
      order.faultsGiven += 1;
      await this.#notes.append({ ...wireOrder(order), faults_given: order.faultsGiven });
      return fault === 'refused' ? { kind: fault, key: request.key } : { kind: fault };
    }
    this.#accept(order);
    const reply = await this.#replyTo(order);
    return scenario.answersPost ? reply : { kind: 'no_answer' };
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

  /**
   * Accepts an order once. An order that is paid at once needs no note: its line in the journal is
   * enough.
   */
  #accept(order: Order): void {
    if (order.accepted !== undefined) return;
    const { pendingMs, decision } = scenarioFor(order.amountUsdCents);
    const now = this.#deps.clock.now();
    const note = { ...wireOrder(order), accepted_at: now.toISOString() };
    const hasNote = pendingMs > 0 || decision !== 'paid';
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
    return {
      kind: 'answer',
      ...{ key, corridor },
      status: isPending ? 'pending' : decision,
      amountUsdCents: amountUsdCents + reportedExtraCents,
    };
  }

  /** Executes the payment once, and resolves when that is durable. */
  async #execute(order: Order): Promise<void> {
    const executedAt = this.#deps.clock.now().toISOString();
    order.execution ??= this.#journal.append({ ...wireOrder(order), executed_at: executedAt });
    await order.execution;
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

/** The order of that key, new or known. */
function orderIn(orders: Map<string, Order>, { key, amountUsdCents, corridor }: PayoutRequest) {
  const blank = { faultsGiven: 0, accepted: undefined, execution: undefined };
  const order: Order = orders.get(key) ?? { key, amountUsdCents, corridor, ...blank };
  orders.set(key, order);
  return order;
}

function wireOrder(order: Order): Record<string, unknown> {
  return { key: order.key, amount_usd_cents: order.amountUsdCents, corridor: order.corridor };
}

/** Restores an order from a line of either file. */
function restore(orders: Map<string, Order>, entry: unknown): void {
  const line = membersOf(entry);
  const { key, amount_usd_cents: amountUsdCents, corridor, faults_given: faultsGiven } = line;
  if (typeof key !== 'string' || !isUsdCents(amountUsdCents) || !isCorridor(corridor)) {
    throw new TypeError('a line is not an order');
  }
  const order = orderIn(orders, { key, amountUsdCents, corridor });
  if (typeof faultsGiven === 'number') order.faultsGiven = faultsGiven;
  else restoreAccepted(order, line);
}

function restoreAccepted(
  order: Order,
  { accepted_at: acceptedAt, executed_at: executedAt }: Members,
): void {
  const atMs = Date.parse(String(acceptedAt ?? executedAt));
  if (Number.isNaN(atMs)) throw new TypeError('a line has no time');
  order.accepted ??= { atMs, recorded: Promise.resolve() };
  if (executedAt !== undefined) order.execution = Promise.resolve();
}
