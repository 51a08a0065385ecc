// One step of an intent along the table: how it is asked for, and what the row reports back (architecture, section 3,
// rule R1).
import type { Corridor } from '../corridor';
import type { ManualResolution } from './manual-resolution';
import type { EventId, IntentId, PartnerId } from '../ids';
import type { IntentEvent } from './transitions';
import type { UsdCents } from '../money';
import type { IntentStatus } from './payment-intent';

export interface TransitionCommand {
  readonly intentId: IntentId;
  /** The status the row must have: the compare of compare and set. */
  readonly from: IntentStatus;
  readonly event: IntentEvent;
  /** Who asked: `payer`, `partner`, `system` or an operator's name. */
  readonly actor: string;
  readonly reason?: string | undefined;
  /** Kept in the audit trail for whoever must be told that it was this request that moved the row, and not another. */
  readonly requestId?: string | undefined;
  /** `fail` as operations declared it: only while the payout was begun exactly so often, no attempt since. */
  readonly payoutAttempts?: number | undefined;
  /** `capture` or `fail` as operations declared it, or such a `cancel`: from then on a comparison with the provider is owed. */
  readonly resolvedAs?: ManualResolution | undefined;
  /** `authorize` only: the token that authorizes, spent in the same transaction. */
  readonly token?: TokenUse | undefined;
  /**
   * `authorize` only: the intent's amount, debited from the funds-holding account in the same transaction if that takes no
   * waiting. Whether it was is reported.
   */
  readonly debitUsdCents?: UsdCents | undefined;
  /** What the workflow was started with. A row that says otherwise is another payment: nothing moves. */
  readonly terms?: PaymentTerms | undefined;
  /**
   * `expire` and `cancel` only. True: the provider was queried by key, and has no such payout. False: it has to be queried first.
   * Undefined: the rows say whether it has.
   */
  readonly isKnownUnpaid?: boolean | undefined;
}

/** What identifies a payment beside its id, which a create with the same idempotency key repeats. */
export interface PaymentTerms {
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** A session token by what is kept of it: never the token itself. */
export interface TokenUse {
  readonly partnerId: PartnerId;
  /** Lowercase hex SHA-256 of the `jti`. */
  readonly jtiHash: string;
  /** The token's `exp`, milliseconds since 1970: past it, it authorizes nothing (decision 6). */
  readonly expiresAtMs: number;
}

export interface IntentCurrentState {
  readonly status: IntentStatus;
  /** The webhook event written with that status; null if the partner wants none, or missed it: its endpoint is disabled. */
  readonly eventId: EventId | null;
}

/**
 * What a transition reports (rule R1). `did`: this call moved the row. `same`: the row stood at the target already.
 * `other`: it stands elsewhere. `not_due`: too early to expire. `token_refused`: the `jti` is spent elsewhere, its token
 * has expired meanwhile, or operations, who have no token, may not confirm this intent; nothing moved. `stopped`: nothing
 * expires and nothing is cancelled while payouts are stopped for a restore. `unasked`: the provider has to be asked first
 * (decision 127). `other_payment`: the row has other terms.
 */
export interface TransitionReport extends IntentCurrentState {
  readonly outcome:
    | ('did' | 'same' | 'other' | 'not_due' | 'token_refused')
    | ('stopped' | 'unasked' | 'other_payment');
  /** With `not_due`: milliseconds until the deadline, by the database's clock. */
  readonly dueInMs: number;
  /** With `other_payment`: those of the row. */
  readonly terms?: PaymentTerms;
  /** True when this very call made the debit too. Otherwise nothing is said of it: whoever goes on asks for the debit. */
  readonly isDebited?: boolean;
}
