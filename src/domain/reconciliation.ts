// Input and findings of a reconciliation of our books with a provider's statement (decision 130).
import type { Corridor } from '../corridors/names';
import type { IntentId } from './ids';
import { STATEMENT_EDGE_SECONDS } from './limits';
import type { LocalAmount } from './money';

/** A payment that the provider says it executed, or whose money it says came back. */
export interface StatementLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly key: string;
  /** The intent whose payout has this key; null if no intent can have it. */
  readonly intentId: IntentId | null;
  /** Null where the line has only the payee's amount. */
  readonly amountUsdCents: number | null;
  readonly local: LocalAmount | null;
  /** All that was taken from our balance, or came back to it; a decimal text. */
  readonly cost: string | null;
  readonly corridor: string;
  readonly isReturned: boolean;
  /** When the money moved, in milliseconds since 1970. */
  readonly executedAtMs: number;
}

export type FindingKind =
  | 'paid_not_captured'
  | 'captured_not_paid'
  | 'amount_differs'
  | 'corridor_differs'
  | 'corridor_missing'
  | 'paid_twice'
  | 'returned'
  | 'key_unknown';

export interface Period {
  readonly since: Date;
  readonly until: Date;
}

/** What the statement covers: a period, and one corridor or all. */
export interface Scope {
  readonly period: Period;
  readonly corridor: Corridor | null;
}

/**
 * The part of a period in which both books must agree. Clocks differ, so a payment at an edge may
 * be in the next statement. Null if the period has no such part.
 */
export function reconciledPart({ since, until }: Period): Period | null {
  const marginMs = STATEMENT_EDGE_SECONDS * 1_000;
  const judged = {
    since: new Date(since.getTime() + marginMs),
    until: new Date(until.getTime() - marginMs),
  };
  return judged.since < judged.until ? judged : null;
}
