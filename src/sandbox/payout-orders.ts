// What the sandbox provider remembers of each order, in two durable files: the journal of payments that really moved money
// (architecture, section 6) and notes of what must also survive a restart: faults given, and when an order was taken.
import { join } from 'node:path';
import { isCorridor, type Corridor } from '../domain/corridor';
import { isUsdCents } from '../domain/money';
import type { Clock } from '../ports/clock';
import { JsonLines } from './json-lines';
import { membersOf } from './json-members';
import { scenarioFor } from './scenarios';

/** The index holds one small record per key for ever; beyond this many the folder must be emptied. */
const ORDERS_MAX = 1_000_000;

export interface PayoutRequest {
  readonly key: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
}

export interface Order extends PayoutRequest {
  faultsGiven: number;
  /** When a POST was taken, milliseconds since 1970, and its record, which is awaited before anything is told. */
  taken: { readonly atMs: number; readonly recorded: Promise<void> } | undefined;
  /** The one execution, once begun; every later question awaits it. */
  execution: Promise<void> | undefined;
}

/** An open pair of files with the index over them. */
export class PayoutOrders {
  readonly #clock: Clock;
  readonly #index: Map<string, Order>;
  readonly #journal: JsonLines;
  readonly #notes: JsonLines;

  private constructor(
    clock: Clock,
    index: Map<string, Order>,
    files: readonly [JsonLines, JsonLines],
  ) {
    this.#clock = clock;
    this.#index = index;
    [this.#journal, this.#notes] = files;
  }

  /** @throws Error when one of the files cannot be read as ours */
  static async open(directory: string, clock: Clock): Promise<PayoutOrders> {
    const index = new Map<string, Order>();
    const notes = await JsonLines.open(join(directory, 'payout-notes.jsonl'), (entry) => {
      restoreNote(index, entry);
    });
    const journal = await JsonLines.open(join(directory, 'payouts.jsonl'), (entry) => {
      restorePayment(index, entry);
    }).catch(async (error: unknown) => {
      await notes.close();
      throw error;
    });
    return new PayoutOrders(clock, index, [journal, notes]);
  }

  find(key: string): Order | undefined {
    return this.#index.get(key);
  }

  all(): Iterable<Order> {
    return this.#index.values();
  }

  /** The order of that key, new or known; undefined when there is no room for another. */
  admit(request: PayoutRequest): Order | undefined {
    const known = this.#index.get(request.key);
    if (known !== undefined) return known;
    return this.#index.size < ORDERS_MAX ? orderIn(this.#index, request) : undefined;
  }

  /** Counts a fault at once, and resolves when the count is durable. */
  async noteFault(order: Order): Promise<void> {
    order.faultsGiven += 1;
    await this.#notes.append({ ...wireOrder(order), faults_given: order.faultsGiven });
  }

  /** Takes the order in, once. One that is paid at once needs no note: its line in the journal says it all. */
  async take(order: Order): Promise<void> {
    const { pendingMs, decision } = scenarioFor(order.amountUsdCents);
    order.taken ??= this.#taken(order, pendingMs > 0 || decision !== 'paid');
    await order.taken.recorded;
  }

  #taken(order: Order, hasNote: boolean): NonNullable<Order['taken']> {
    const now = this.#clock.now();
    const note = { ...wireOrder(order), taken_at: now.toISOString() };
    const recorded = hasNote ? this.#notes.append(note) : Promise.resolve();
    return { atMs: now.getTime(), recorded };
  }

  /** Moves the money, once, and resolves when that is durable. */
  async execute(order: Order): Promise<void> {
    const executedAt = this.#clock.now().toISOString();
    order.execution ??= this.#journal.append({ ...wireOrder(order), executed_at: executedAt });
    await order.execution;
  }

  /** The journal's lines as they stand in the file, each a JSON object. */
  journal(): AsyncIterable<string> {
    return this.#journal.read();
  }

  async close(): Promise<void> {
    await Promise.all([this.#journal.close(), this.#notes.close()]);
  }
}

function orderIn(index: Map<string, Order>, request: PayoutRequest): Order {
  const known = index.get(request.key);
  if (known !== undefined) return known;
  const { key, amountUsdCents, corridor } = request;
  const order = { key, amountUsdCents, corridor, faultsGiven: 0 };
  const made: Order = { ...order, taken: undefined, execution: undefined };
  index.set(key, made);
  return made;
}

function wireOrder(order: Order): Record<string, unknown> {
  return { key: order.key, amount_usd_cents: order.amountUsdCents, corridor: order.corridor };
}

function restoreNote(index: Map<string, Order>, entry: unknown): void {
  const line = parseLine(entry);
  const order = orderIn(index, line);
  if (typeof line.faults_given === 'number') order.faultsGiven = line.faults_given;
  if (line.taken_at !== undefined) order.taken = takenThen(line.taken_at);
}

function restorePayment(index: Map<string, Order>, entry: unknown): void {
  const line = parseLine(entry);
  const order = orderIn(index, line);
  order.taken ??= takenThen(line.executed_at);
  order.execution = Promise.resolve();
}

function takenThen(instant: unknown): NonNullable<Order['taken']> {
  const atMs = Date.parse(String(instant));
  if (Number.isNaN(atMs)) throw new TypeError('a line without its instant');
  return { atMs, recorded: Promise.resolve() };
}

interface OrderLine extends PayoutRequest {
  readonly faults_given?: unknown;
  readonly taken_at?: unknown;
  readonly executed_at?: unknown;
}

function parseLine(entry: unknown): OrderLine {
  const { key, amount_usd_cents: amountUsdCents, corridor, ...rest } = membersOf(entry);
  if (typeof key !== 'string' || !isUsdCents(amountUsdCents) || !isCorridor(corridor)) {
    throw new TypeError('a line that is no order');
  }
  return { ...rest, key, amountUsdCents, corridor };
}
