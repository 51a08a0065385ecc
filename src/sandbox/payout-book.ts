// The sandbox provider's behaviour without its HTTP (architecture, section 6): what it answers to a POST and to a GET.
// It executes a key at most once, over any number of repeats, kill -9 and restarts; scenarios.ts says what happens to
// which amount.
import type { Clock } from '../ports/clock';
import type { Log } from '../ports/log';
import { PayoutOrders, type Order, type PayoutRequest } from './payout-orders';
import { scenarioFor, type Fault } from './scenarios';
import type { Cancel, Schedule } from './schedule';

export interface PayoutAnswer {
  readonly kind: 'answer';
  readonly key: string;
  readonly status: 'paid' | 'pending' | 'declined';
  /** As the provider reports it; one scenario makes it differ from the truth. */
  readonly amountUsdCents: number;
}

/** `other_order`: the key belongs to another amount or corridor. `full`: no room for another order. */
export type PayoutReply =
  | PayoutAnswer
  | { readonly kind: 'unknown_key'; readonly key: string }
  | { readonly kind: Fault | 'no_answer' | 'other_order' | 'full' };

export interface PayoutBookDeps {
  /** Where the journal and the notes lie. */
  readonly directory: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
}

export interface PayoutBook {
  /** Idempotent by key. What it promises by `paid` is in the journal by then. */
  receive(request: PayoutRequest): Promise<PayoutReply>;
  find(key: string): Promise<PayoutReply>;
  /** The journal's lines, oldest first, each a JSON object. */
  journal(): AsyncIterable<string>;
  close(): Promise<void>;
}

/** Opens the files and takes up the timers of orders that were pending when the last process ended. */
export async function openPayoutBook(deps: PayoutBookDeps): Promise<PayoutBook> {
  const orders = await PayoutOrders.open(deps.directory, deps.clock);
  const timers = new Set<Cancel>();
  const context = { ...deps, orders, timers };
  for (const order of orders.all()) executeWhenDue(order, context);
  return {
    receive: (request) => receive(request, context),
    find: (key) => find(key, context),
    journal: () => orders.journal(),
    close: () => {
      for (const cancel of timers) cancel();
      return orders.close();
    },
  };
}

interface Context extends PayoutBookDeps {
  readonly orders: PayoutOrders;
  readonly timers: Set<Cancel>;
}

async function receive(request: PayoutRequest, context: Context): Promise<PayoutReply> {
  const order = context.orders.admit(request);
  if (order === undefined) return { kind: 'full' };
  if (!isSameOrder(order, request)) return { kind: 'other_order' };
  const scenario = scenarioFor(order.amountUsdCents);
  const fault = scenario.faults[order.faultsGiven];
  if (fault !== undefined) {
    await context.orders.noteFault(order);
    return { kind: fault };
  }
  await take(order, context);
  const reply = await tell(order, context);
  return scenario.answersPost ? reply : { kind: 'no_answer' };
}

async function find(key: string, context: Context): Promise<PayoutReply> {
  const order = context.orders.find(key);
  return order?.taken === undefined ? { kind: 'unknown_key', key } : tell(order, context);
}

function isSameOrder(order: Order, request: PayoutRequest): boolean {
  return order.amountUsdCents === request.amountUsdCents && order.corridor === request.corridor;
}

async function take(order: Order, context: Context): Promise<void> {
  const isNew = order.taken === undefined;
  await context.orders.take(order);
  if (isNew) executeWhenDue(order, context);
}

/** What is true of a taken order now. Paid is executed first and told second. */
async function tell(order: Order, context: Context): Promise<PayoutReply> {
  const { decision } = scenarioFor(order.amountUsdCents);
  await order.taken?.recorded;
  if (decision === 'never') return { kind: 'no_answer' };
  if (dueInMs(order, context.clock) > 0) return answer(order, 'pending');
  if (decision === 'paid') await context.orders.execute(order);
  return answer(order, decision);
}

function answer(order: Order, status: PayoutAnswer['status']): PayoutAnswer {
  const { reportedExtraCents } = scenarioFor(order.amountUsdCents);
  const amountUsdCents = order.amountUsdCents + reportedExtraCents;
  return { kind: 'answer', key: order.key, status, amountUsdCents };
}

/** A pending order is executed when it is due, whether anybody asks or not. */
function executeWhenDue(order: Order, context: Context): void {
  const { decision, pendingMs } = scenarioFor(order.amountUsdCents);
  const isWaiting = order.taken !== undefined && order.execution === undefined;
  if (!isWaiting || decision !== 'paid' || pendingMs === 0) return;
  const cancel = context.schedule(Math.max(0, dueInMs(order, context.clock)), () => {
    context.timers.delete(cancel);
    context.orders.execute(order).catch((cause: unknown) => {
      context.log.error({ key: order.key, err: cause }, 'a due payout could not be executed');
    });
  });
  context.timers.add(cancel);
}

function dueInMs(order: Order, clock: Clock): number {
  if (order.taken === undefined) return Infinity;
  const { pendingMs } = scenarioFor(order.amountUsdCents);
  return order.taken.atMs + pendingMs - clock.now().getTime();
}
