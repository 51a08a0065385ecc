// The orders of the sandbox provider in memory, and how its two files restore them.
import { isCorridor, type Corridor } from '../../corridors/names';
import { isUsdCents } from '../../domain/money';
import { membersOf, type Members } from '../json-members';
import { isSameLocal, localFor, type WireLocal } from './local-amounts';

export interface PayoutRequest {
  readonly key: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  /** Never stored. */
  readonly qrPayload: string | null;
  readonly quoteId: string | null;
  readonly local: WireLocal | null;
}

export interface Order extends Pick<PayoutRequest, 'key' | 'amountUsdCents' | 'corridor'> {
  faultsGiven: number;
  /**
   * When the order was accepted, milliseconds since 1970, and its record, which every reply awaits.
   */
  accepted: { readonly atMs: number; readonly recorded: Promise<void> } | undefined;
  /** What the payee gets, where that is not the amount at the fixed rate. */
  local: WireLocal | undefined;
  /** The one execution, once begun; every later request awaits it. */
  execution: { readonly atMs: number; readonly recorded: Promise<void> } | undefined;
}

type OrderSubject = Pick<Order, 'key' | 'amountUsdCents' | 'corridor'>;

/** The order of that key, new or known. */
export function orderIn(orders: Map<string, Order>, subject: OrderSubject): Order {
  const { key, amountUsdCents, corridor } = subject;
  const blank = { faultsGiven: 0, accepted: undefined, local: undefined, execution: undefined };
  const order: Order = orders.get(key) ?? { key, amountUsdCents, corridor, ...blank };
  orders.set(key, order);
  return order;
}

/** Whether the request repeats the order, as far as it says. */
export function isRepeat(order: Order, request: PayoutRequest): boolean {
  const { amountUsdCents, corridor } = order;
  if (amountUsdCents !== request.amountUsdCents || corridor !== request.corridor) return false;
  const isOpen = order.accepted === undefined || request.local === null;
  return isOpen || isSameLocal(request.local, localOf(order));
}

function localOf({ local, corridor, amountUsdCents }: Order): WireLocal {
  return local ?? localFor(corridor, amountUsdCents);
}

export function wireOrder(order: Order): Record<string, unknown> {
  return { key: order.key, amount_usd_cents: order.amountUsdCents, corridor: order.corridor };
}

/** Restores an order from a line of either file. */
export function restore(orders: Map<string, Order>, entry: unknown): void {
  const line = membersOf(entry);
  const { key, amount_usd_cents: amountUsdCents, corridor, faults_given: faultsGiven } = line;
  if (typeof key !== 'string' || !isUsdCents(amountUsdCents) || !isCorridor(corridor)) {
    throw new TypeError('a line is not an order');
  }
  const order = orderIn(orders, { key, amountUsdCents, corridor });
  if (typeof faultsGiven === 'number') order.faultsGiven = faultsGiven;
  else restoreAccepted(order, line);
}

function restoreAccepted(order: Order, line: Members): void {
  const { accepted_at: acceptedAt, executed_at: executedAt, local_amount: localAmount } = line;
  const atMs = Date.parse(String(acceptedAt ?? executedAt));
  if (Number.isNaN(atMs)) throw new TypeError('a line has no time');
  order.accepted ??= { atMs, recorded: Promise.resolve() };
  if (executedAt !== undefined) order.execution = { atMs, recorded: Promise.resolve() };
  if (typeof localAmount === 'number') {
    order.local = { ...localFor(order.corridor, order.amountUsdCents), amount: localAmount };
  }
}
