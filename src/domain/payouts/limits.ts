// All limits of payouts. The unit is the end of each name.
import { STATEMENT_MAX_MS, TASK_ENDS_EARLY_AFTER_MS } from '../limits';

/** Decision 105: timeout of a call to the provider, and when an unknown payout needs attention. */
export const PAYOUT_ATTEMPT_TIMEOUT_MS = 5_000;
export const PAYOUT_UNKNOWN_DEFAULT_SECONDS = 900;
export const PROVIDER_ANSWER_MAX_BYTES = 16_384;
export const PROVIDER_REFERENCE_MAX_CHARACTERS = 128;

/** Decision 105: a payout that is pending for this long needs attention. It is still queried. */
export const PAYOUT_PENDING_ATTENTION_SECONDS = 3_600;

/**
 * An attempt sends within this time after it began to record, or not at all: its worker may have
 * been frozen.
 */
export const PAYOUT_SENT_WITHIN_MS = 1_000;
/** After this a request cannot be on its way. Before, "unknown key" proves nothing. */
export const PAYOUT_SENDING_MAX_SECONDS = seconds(
  PAYOUT_SENT_WITHIN_MS + PAYOUT_ATTEMPT_TIMEOUT_MS,
);
/** Decision 150: a refused order is sent again for this long after the first request. */
export const PAYOUT_RETRIED_FOR_SECONDS = 60;
/** One attempt may query, record, send and write: its activity times out after this. */
export const PAYOUT_ATTEMPT_MAX_SECONDS = seconds(
  2 * PAYOUT_ATTEMPT_TIMEOUT_MS + PAYOUT_SENT_WITHIN_MS + STATEMENT_MAX_MS,
);
/** Decision 148: a debit is released only if the provider denies the key again after this. */
export const PAYOUT_DENIED_AGAIN_AFTER_MS = 1_000;
/** Two queries and two statements. */
export const PAYOUT_DENIAL_MAX_SECONDS = seconds(
  2 * (PAYOUT_ATTEMPT_TIMEOUT_MS + STATEMENT_MAX_MS) + PAYOUT_DENIED_AGAIN_AFTER_MS,
);
/**
 * Decision 125: after this the workflow captures instead of the attempt, whose two statements would
 * exceed its timeout.
 */
export const PAYOUT_CAPTURED_WITHIN_SECONDS =
  PAYOUT_ATTEMPT_MAX_SECONDS - seconds(2 * STATEMENT_MAX_MS);

/**
 * Timeout of the attempt in the task that authorizes. If it were longer, the task would end early,
 * which costs three events.
 */
export const PAYOUT_AT_ONCE_TIMEOUT_MS = TASK_ENDS_EARLY_AFTER_MS - 500;
/** That attempt also records the request and captures; its local activity times out after this. */
export const PAYOUT_AT_ONCE_MAX_SECONDS = seconds(PAYOUT_AT_ONCE_TIMEOUT_MS + STATEMENT_MAX_MS);
/**
 * The first request follows its debit within this. A workflow task that is repeated after its
 * timeout comes later, and queries the provider first.
 */
export const PAYOUT_FOLLOWS_DEBIT_WITHIN_SECONDS = 2;

/**
 * Per worker and corridor: payouts within workflow tasks, and all other calls to the provider at a
 * time. A corridor whose provider is slow or silent holds no more than these.
 */
export const PAYOUTS_IN_TASKS_MAX = 150;
export const PAYOUT_SLOTS = 200;
/**
 * A payout within a task makes one call at a time; another attempt makes up to three, a query and
 * an inquiry of two requests. No order waits for a connection.
 */
export const PROVIDER_CONNECTIONS = PAYOUTS_IN_TASKS_MAX + 3 * PAYOUT_SLOTS;
/** After a slow order this many fast ones in a row make the provider count as fast again. */
export const PROVIDER_FAST_ORDERS_MIN = 3;
/**
 * The breaker of a corridor opens after this many first orders in a row without an answer, from at
 * least this many payers. Then it lets one order through at a time, this far apart. Each of the
 * others waits in its slot for a while, and is then tried again.
 */
export const BREAKER_UNANSWERED_MIN = 20;
export const BREAKER_PAYERS_MIN = 5;
export const BREAKER_PROBE_EVERY_MS = 1_000;
export const PAYOUT_DELAYED_MAX_SECONDS = 6;

/** Decision 155: how long a quote lives, if the provider does not say a shorter time. */
export const QUOTE_LIVES_SECONDS = 60;
export const QUOTES_PER_INTENT_MAX = 20;
export const QUOTED_CODES_PER_INTENT_MAX = 5;
/** A request for a quote whose process died holds the place of its intent for this long. */
export const QUOTE_REQUEST_MAX_SECONDS = seconds(PAYOUT_ATTEMPT_TIMEOUT_MS + STATEMENT_MAX_MS);
/** A partner's quotes a second, and how many at once after a pause. */
export const QUOTES_PER_PARTNER_SECOND = 50;
export const QUOTES_PER_PARTNER_MAX = 500;
/** Per API process and corridor: a silent provider holds no more requests than these. */
export const QUOTES_UNDER_WAY_MAX = 100;

/** A payout lock expires after this, so that it does not outlast a workflow that died. */
export const PAYOUT_LOCKED_FOR_SECONDS = 60;

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
