// Reads a PaymentIntent from JSON (protocol 2.1). Only this file knows its snake_case members.
import { isCorridor, type Corridor } from '../corridors/names';
import { parseRfc3339 } from '../domain/rfc3339';
import { parseIntentStatus } from '../domain/intents/transitions';
import type { IntentStatus } from '../domain/intents/payment-intent';

/** One payment of one user. All four operations return it (protocol 2.1). */
export interface Intent {
  /** "Prefix `pi_` followed by an opaque string." */
  readonly intentId: string;
  /** `created`, `authorized`, `captured`, `failed`, `expired`, `refunded` or `cancelled`. */
  readonly status: IntentStatus;
  /** The amount in whole USD cents, never dollars. */
  readonly amountUsdCents: number;
  /** `th_qrpay` or `vn_qrpay`. */
  readonly corridor: Corridor;
  readonly createdAt: Date;
  /** Null unless `status` is `captured`. */
  readonly capturedAt: Date | null;
}

/**
 * Ignores members that a later revision adds (protocol 1.1).
 * @throws TypeError that names the missing or invalid member
 */
export function parseIntent(value: unknown): Intent {
  const members = asObject(value);
  return {
    intentId: asText(members, 'intent_id'),
    status: parseIntentStatus(asText(members, 'status')),
    amountUsdCents: asWholeNumber(members, 'amount_usd_cents'),
    corridor: asCorridor(members, 'corridor'),
    createdAt: asInstant(members, 'created_at'),
    capturedAt: 'captured_at' in members ? asInstant(members, 'captured_at') : null,
  };
}

type Members = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError('not a JSON object');
  return { ...value };
}

export function asText(members: Members, name: string): string {
  const value = members[name];
  if (typeof value !== 'string') throw new TypeError(`${name} is not a string`);
  return value;
}

export function asInstant(members: Members, name: string): Date {
  const instant = new Date(parseRfc3339(asText(members, name)) ?? Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new TypeError(`${name} is not a date-time`);
  return instant;
}

export function asWholeNumber(members: Members, name: string): number {
  const value = members[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new TypeError(`${name} is not a whole number`);
  }
  return value;
}

function asCorridor(members: Members, name: string): Corridor {
  const value = members[name];
  if (!isCorridor(value)) throw new TypeError(`${name} is not a corridor`);
  return value;
}
