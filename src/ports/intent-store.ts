// The intent rows: created once, read often, moved only along the table by compare and set
// (architecture, sections 2 and 3).
import type { Corridor } from '../domain/corridor';
import type { IntentId } from '../domain/ids';
import type { UsdCents } from '../domain/money';
import type { IntentStatus, PaymentIntent } from '../domain/intents/payment-intent';
import type {
  IntentCurrentState,
  TransitionCommand,
  TransitionReport,
} from '../domain/intents/transition';
import type { NonceClaim, SignedCaller } from './replay-guard';

export interface CreateIntentCommand {
  readonly caller: SignedCaller;
  readonly intentId: IntentId;
  readonly partnerUserId: string;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  readonly timeToLiveSeconds: number;
  /** Whether the corridor's minimum is met (decision 3). Where it is not, a replay is answered all the same. */
  readonly isAmountAllowed: boolean;
  /** Scope partner + key; the digest is of the exact body bytes (decision 14). */
  readonly idempotency: { readonly key: string; readonly bodyDigest: Uint8Array } | undefined;
}

export type CreateIntentOutcome =
  | { readonly outcome: 'created' | 'replayed'; readonly intent: PaymentIntent }
  /** The nonce was not recorded, and nothing else was. */
  | { readonly outcome: 'refused'; readonly why: Exclude<NonceClaim, 'claimed'> }
  /** Below the corridor's minimum, and no replay of an intent that was made when it was not. */
  | { readonly outcome: 'amount_below_minimum' }
  /** The key was used with another body. */
  | { readonly outcome: 'key_reused' };

export interface CancelAnswer {
  /** `accepted` is given to exactly one request. */
  readonly answer: 'accepted' | 'undecided' | 'conflict';
  readonly intent: PaymentIntent;
}

export interface SignedRead {
  readonly nonce: NonceClaim;
  /** As {@link IntentStore.find} has it, of whatever partner; undefined too when the nonce was not recorded. */
  readonly intent: PaymentIntent | undefined;
}

export interface IntentStore {
  /** Nonce, idempotency record, intent and first history row: one statement, one commit. Idempotent per key. */
  create(command: CreateIntentCommand): Promise<CreateIntentOutcome>;
  /** The intent as readers see it: `expired` once the deadline and its grace have passed (decision 15). */
  find(intentId: IntentId): Promise<PaymentIntent | undefined>;
  /** The status alone, as {@link IntentStore.find} has it, of those that there are. */
  statuses(intentIds: readonly IntentId[]): Promise<ReadonlyMap<IntentId, IntentStatus>>;
  /** One for a signed request, whose nonce it records in the same statement, exactly as the replay guard does. */
  findSigned(caller: SignedCaller, intentId: IntentId): Promise<SignedRead>;
  /** Where the row stands, whatever a run believes (rule R1). @throws RowMissing */
  standing(intentId: IntentId): Promise<IntentCurrentState>;
  /**
   * Moves the intent along the table, with history row, ledger transfers and webhook event in the same transaction.
   * Idempotent: a repeat reports `same`. Refuses by reporting, never by throwing; what it throws may be retried.
   * @throws RowMissing, for which a repeat is of no use
   */
  transition(command: TransitionCommand): Promise<TransitionReport>;
  /**
   * Expires those of these that are `created` past their deadline, each with its history row and webhook event in the same
   * transaction. Left alone: what needs people, and a row that another transaction holds. The caller makes sure that their
   * workflows have confirmed nothing. Idempotent. @returns how many it moved
   */
  expireOverdue(intentIds: readonly IntentId[]): Promise<number>;
  /**
   * Says on the row that people must look, where it is seen even when the run is gone; the next transition ends it, or people
   * do. A row that has ended takes it only with `isSettled`: to who does not know of its end, nothing is left to look at.
   */
  setAttention(intentId: IntentId, reason: string, isSettled?: boolean): Promise<void>;
  /**
   * Decides a cancel from the rows alone. One caller learns that the intent is cancelled, every later one gets
   * `conflict`: a repeat after a lost answer gets its 200, a second cancel its 409 (decision 25). Undefined where the row is gone,
   * in a Postgres that was put back meanwhile.
   */
  answerCancel(intentId: IntentId, requestId: string): Promise<CancelAnswer | undefined>;
}
