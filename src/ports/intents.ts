// Intent rows: created once, and moved only along the transition table by compare and set
// (architecture, sections 2 and 3).
import type { Corridor } from '../corridors/names';
import type { IntentId } from '../domain/ids';
import type { UsdCents } from '../domain/money';
import type { Attention } from '../domain/intents/attention';
import type { IntentStatus, PaymentIntent } from '../domain/intents/payment-intent';
import type {
  PaymentTerms,
  RowState,
  TransitionCommand,
  TransitionReport,
  TokenUse,
} from '../domain/intents/transition';
import type { Closed, NonceClaim, SignedCaller } from './partners';
import type { PayoutDetails } from './payouts';
import type { PaymentStart } from '../domain/intents/payment-start';

export interface CreateIntentCommand {
  readonly caller: SignedCaller;
  readonly intentId: IntentId;
  readonly partnerUserId: string;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  readonly timeToLiveSeconds: number;
  /** Whether it is within the corridor's bounds. A replay is answered even if it is not. */
  readonly isAmountAllowed: boolean;
  /** Scope: partner and key. The digest covers the exact body bytes (decision 14). */
  readonly idempotency: { readonly key: string; readonly bodyDigest: Uint8Array } | undefined;
}

export type CreateIntentOutcome =
  | {
      readonly outcome: 'created';
      readonly intent: PaymentIntent;
      /** The directory's version in the same snapshot. */
      readonly directoryVersion: number;
    }
  | { readonly outcome: 'replayed'; readonly intent: PaymentIntent }
  /** Nothing was recorded, not even the nonce. */
  | { readonly outcome: 'rejected'; readonly why: Exclude<NonceClaim, 'claimed'> }
  /** Outside the corridor's bounds, and no replay. */
  | { readonly outcome: 'amount_not_allowed' }
  /** The partner's limit of intents a second is reached. The nonce is used up. */
  | { readonly outcome: 'second_full' }
  /** Operators have closed it, and it is no replay. The nonce is used up. */
  | { readonly outcome: 'closed'; readonly why: Closed }
  /** The key was used with another body. */
  | { readonly outcome: 'key_reused' };

export interface CancelAnswer {
  /** Exactly one request gets `accepted`. */
  readonly answer: 'accepted' | 'undecided' | 'conflict';
  readonly intent: PaymentIntent;
}

/** The members are those of the wire; null where they are not known. */
export interface PayoutReceipt {
  /** The provider's own id of the payout. */
  readonly reference: string | null;
  /** What the payee got, else what was ordered, in minor units. */
  readonly local: { readonly currency: string; readonly amount: number } | null;
  /** Why the intent failed. */
  readonly code: string | null;
  /** When the intent reached the status, as RFC 3339. */
  readonly at: string | null;
}

export interface SignedRead {
  readonly nonce: NonceClaim;
  /**
   * As {@link IntentStore.find} returns it, of any partner. Undefined if the nonce was not
   * recorded.
   */
  readonly intent: PaymentIntent | undefined;
}

export interface IntentStore {
  /**
   * Writes nonce, idempotency record, intent and first audit row in one commit. Idempotent per key.
   */
  create(command: CreateIntentCommand): Promise<CreateIntentOutcome>;
  /** The intent as readers see it: `expired` after its deadline and grace period (decision 15). */
  find(intentId: IntentId): Promise<PaymentIntent | undefined>;
  /** Statuses as {@link IntentStore.find} returns them. Unknown ids are left out. */
  statuses(intentIds: readonly IntentId[]): Promise<ReadonlyMap<IntentId, IntentStatus>>;
  /**
   * The read of a signed request. Records its nonce in the same statement, as the replay guard
   * does.
   */
  findSigned(caller: SignedCaller, intentId: IntentId): Promise<SignedRead>;
  /** What the payer may see of an intent that has reached this status. */
  readReceipt(intentId: IntentId, status: IntentStatus): Promise<PayoutReceipt>;
  /** Status and event of the row (rule R1). @throws RowMissing */
  readCurrentState(intentId: IntentId, terms?: PaymentTerms): Promise<RowState>;
  /**
   * Moves the intent along the table, with audit row, ledger transfers and webhook event in the
   * same transaction. Idempotent: a repeat reports `same`. A rejection is a report, never an error;
   * after an error the call may be repeated.
   * @throws RowMissing; a repeat does not help then
   */
  transition(command: TransitionCommand): Promise<TransitionReport>;
  /**
   * The capture for a caller that has just received the provider's "paid", in the same way. Any
   * other capture needs an answer or a manual resolution in the rows (decision 145).
   */
  capturePaid(
    intentId: IntentId,
    terms: PaymentTerms,
    details: PayoutDetails,
  ): Promise<TransitionReport>;
  /**
   * Expires those intents that are `created` past their deadline, with audit row and webhook event
   * in the same transaction. Skips rows that need attention and rows that another transaction
   * holds. The caller must know that their workflows have confirmed nothing. Idempotent.
   * @returns the number of expired intents
   */
  expireOverdue(intentIds: readonly IntentId[]): Promise<number>;
  /** Whether no process may start a workflow for it: attention `workflow_gone` is open. */
  isWorkflowGone(intentId: IntentId): Promise<boolean>;
  /**
   * Writes that the payment needs attention. Of a kind that is open already, only the sentence
   * changes. What ends each kind: `ATTENTION_ENDS`.
   * @param isSettled must be true for a row with a terminal status; otherwise nothing is written
   */
  setAttention(intentId: IntentId, attention: Attention, isSettled?: boolean): Promise<void>;
  /**
   * Decides the answer to a cancel from the rows alone. One request gets `accepted`, also when it
   * is repeated after a lost answer; every other gets `conflict` (decision 25). Undefined if a
   * restore has lost the row.
   */
  answerCancel(intentId: IntentId, requestId: string): Promise<CancelAnswer | undefined>;
}

// Claims of open intents for the workflow repairer and the deadline poller, each for one worker at
// a time; and the removal of expired rows.

export interface DuePayment {
  readonly payment: PaymentStart;
  /**
   * Milliseconds since it could be paid, by the database's clock: since it was authorized, or since
   * the last stop of payouts ended. Null if it is not authorized, and during a stop.
   */
  readonly payableForMs: number | null;
  /** Whether a hint of its provider made it due. */
  readonly isHinted: boolean;
}

/** A payment that is `created` past its deadline. */
export interface OverduePayment {
  readonly payment: PaymentStart;
  /** Milliseconds since its deadline, by the database's clock. */
  readonly overdueMs: number;
  /** Whether its row alone may decide, if its workflow has confirmed nothing. */
  readonly mayExpire: boolean;
  /** Whether its workflow must decide. If neither is true, a later claim decides. */
  readonly needsWorkflow: boolean;
  /** Then its workflow is looked for less and less often. */
  readonly waitsForPeople: boolean;
}

export interface PaymentClaims {
  /**
   * Claims up to `limit` open intents whose `check_at` has passed: not known to be started, or
   * authorized for long. Each is claimed once per lease, which is longer during a stop of payouts.
   * Skips intents past their deadline, and those whose workflow is gone.
   */
  claimDue(limit: number): Promise<readonly DuePayment[]>;
  /** Claims up to `limit` created intents past their deadline, likewise. */
  claimOverdue(limit: number): Promise<readonly OverduePayment[]>;
  /** Notes that these have a workflow, so that the next check is at their deadline. A hint only. */
  markStarted(intentIds: readonly IntentId[]): Promise<void>;
  /** Marks up to `limit` pending events of disabled endpoints as skipped. @returns their number */
  skipEvents(limit: number): Promise<number>;
  /**
   * Deletes nonces and tokens that can no longer be replayed, scanned codes whose token has expired
   * and whose intent is not authorized, and quotes with which no payment was or will be authorized.
   * One bounded batch. @returns the number of rows
   */
  dropExpired(limit: number): Promise<number>;
}

// The API's door to the workflows. Its results are hints: the HTTP answer is read from the rows
// (R2).

/**
 * `answered`: the workflow has handled the request. `busy`: retry shortly. `no_answer`: not known.
 */
export type RunnerAnswer = 'answered' | 'busy' | 'no_answer';

export interface Waiting {
  /** True: wait until the payment is settled. False: until it is authorized. */
  readonly waitForOutcome: boolean;
  /** Aborted when the caller stops waiting. The workflow goes on. */
  readonly deadline: AbortSignal;
  /**
   * The id of a request whose token was answered before without a change: the workflow is asked
   * anew. Without it, requests with one token share one answer.
   */
  readonly anewFor?: string | undefined;
}

export interface PaymentRunner {
  /**
   * Starts the intent's workflow soon. Never throws: the workflow repairer starts it if this fails.
   */
  begin(payment: PaymentStart): void;
  /**
   * Requests authorize and settlement; starts the workflow if there is none. Idempotent per token.
   */
  confirm(payment: PaymentStart, token: TokenUse, waiting: Waiting): Promise<RunnerAnswer>;
  /** Requests a cancel; starts the workflow if there is none. Idempotent per nonce. */
  cancel(payment: PaymentStart, nonce: string, deadline: AbortSignal): Promise<RunnerAnswer>;
}
