// The intent rows: created once, read often, moved only along the table by compare and set (design sections 2 and 3).
import type { Corridor } from '../domain/corridor';
import type { EventId, IntentId, PartnerId } from '../domain/ids';
import type { IntentEvent } from '../domain/intent-transitions';
import type { UsdCents } from '../domain/money';
import type { IntentStatus, PaymentIntent } from '../domain/payment-intent';
import type { SignedCaller } from './replay-guard';

export interface CreateIntentCommand {
  readonly caller: SignedCaller;
  readonly intentId: IntentId;
  readonly partnerUserId: string;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  readonly timeToLiveSeconds: number;
  /** Scope partner + key; the digest is of the exact body bytes (decision 14). */
  readonly idempotency: { readonly key: string; readonly bodyDigest: Uint8Array } | undefined;
}

export type CreateIntentOutcome =
  | { readonly outcome: 'created' | 'replayed'; readonly intent: PaymentIntent }
  /** Nonce seen, key revoked or address withdrawn between verification and the insert. */
  | { readonly outcome: 'refused' }
  /** The key was used with another body. */
  | { readonly outcome: 'key_reused' };

export interface TransitionCommand {
  readonly intentId: IntentId;
  /** The status the row must have: the compare of compare and set. */
  readonly from: IntentStatus;
  readonly event: IntentEvent;
  /** Who asked: `payer`, `partner`, `system` or an operator's name. */
  readonly actor: string;
  readonly reason?: string | undefined;
  /** `authorize` only: the token that authorizes, spent in the same transaction. */
  readonly token?: TokenUse | undefined;
}

/** A session token by what is kept of it: never the token itself. */
export interface TokenUse {
  readonly partnerId: PartnerId;
  /** Lowercase hex SHA-256 of the `jti`. */
  readonly jtiHash: string;
  /** The token's `exp`, milliseconds since 1970: kept until then (decision 6). */
  readonly expiresAtMs: number;
}

/**
 * What a transition reports (rule R1). `did`: this call moved the row. `same`: the row stood at the target already.
 * `other`: it stands elsewhere. `not_due`: too early to expire. `token_used`: the `jti` is spent elsewhere; nothing moved.
 */
export interface TransitionReport extends IntentStanding {
  readonly outcome: 'did' | 'same' | 'other' | 'not_due' | 'token_used';
  /** With `not_due`: milliseconds until the deadline, by the database's clock. */
  readonly dueInMs: number;
}

export interface IntentStanding {
  readonly status: IntentStatus;
  /** The webhook event written with that status, if the partner wants one. */
  readonly eventId: EventId | null;
}

export interface CancelAnswer {
  /** `accepted` is given to exactly one request. */
  readonly answer: 'accepted' | 'undecided' | 'conflict';
  readonly intent: PaymentIntent;
}

export interface IntentStore {
  /** Nonce, idempotency record, intent and first history row: one statement, one commit. Idempotent per key. */
  create(command: CreateIntentCommand): Promise<CreateIntentOutcome>;
  /** The intent as readers see it: `expired` once the deadline and its grace have passed (decision 15). */
  find(intentId: IntentId): Promise<PaymentIntent | undefined>;
  /** Where the row stands, whatever a run believes (rule R1). @throws Error when there is no row. */
  standing(intentId: IntentId): Promise<IntentStanding>;
  /**
   * Moves the intent along the table, with history row, ledger transfers and webhook event in the same transaction.
   * Idempotent: a repeat reports `same`. Refuses by reporting, never by throwing; what it throws may be retried.
   */
  transition(command: TransitionCommand): Promise<TransitionReport>;
  /** Says on the row that people must look, since a run that is gone cannot say it; null says it is over. */
  setAttention(intentId: IntentId, reason: string | null): Promise<void>;
  /**
   * Decides a cancel from the rows alone. One caller learns that the intent is cancelled, every later one gets
   * `conflict`: a repeat after a lost answer gets its 200, a second cancel its 409 (decision 25).
   */
  answerCancel(intentId: IntentId, requestId: string): Promise<CancelAnswer>;
}
