// Every limit of the protocol, and the bounds that our decisions add.
// A number that guards input lives here and nowhere else; the unit is the end of its name.

/** Protocol 5.2: 1 to 100 000 000. */
export const AMOUNT_MIN_USD_CENTS = 1;
export const AMOUNT_MAX_USD_CENTS = 100_000_000;

/** Protocol 5.2: `partner_user_id` has 1 to 256 characters. */
export const PARTNER_USER_ID_MAX_CHARACTERS = 256;

/** Protocol 5.3: `Idempotency-Key` has at most 256 characters. */
export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 256;

/** Protocol 3.4, step 3: in either direction. */
export const TIMESTAMP_SKEW_MAX_SECONDS = 300;

/** Protocol 3.4, step 4. */
const NONCE_WINDOW_SECONDS = 600;

/** A nonce is kept for the window and the skew on both sides of it (decision 12). */
export const NONCE_RETENTION_SECONDS = NONCE_WINDOW_SECONDS + 2 * TIMESTAMP_SKEW_MAX_SECONDS;

/** Protocol 4.7, step 7: `exp - iat`. */
export const TOKEN_LIFETIME_MAX_SECONDS = 600;

/** Protocol 4.7, step 6: `iat` in the past. */
export const TOKEN_AGE_MAX_SECONDS = 900;

/** Decision 9: `iat` and attestation times at most 60 seconds in the future. */
export const TOKEN_FUTURE_MAX_SECONDS = 60;

/** Decision 9: a session token longer than this is refused unread. */
export const TOKEN_MAX_CHARACTERS = 8_192;
/** Decision 9: each text among its claims that the service keeps or compares (`iss`, `sub`, `jti`, `method`), and its `kid`. */
export const TOKEN_TEXT_MAX_CHARACTERS = 1_024;
export const KID_MAX_CHARACTERS = 256;
/** Of tokens whose signature has verified, in the memory of one API process: 40 MB if all were of the greatest length. */
export const TOKENS_CACHED_MAX = 5_000;

/** Protocol 4.6. */
export const KEY_SET_FRESH_SECONDS = 600;

/** Decision 110: caps on fetching a partner's key set, and the refetch bucket. */
export const KEY_SET_MAX_BYTES = 65_536;
export const KEY_SET_KEYS_MAX = 100;
export const KEY_SET_TIMEOUT_MS = 5_000;
export const KEY_SET_REFETCH_BUCKET = 10;
export const KEY_SET_REFETCH_EVERY_SECONDS = 6;
export const RSA_MODULUS_MIN_BITS = 2_048;
export const RSA_MODULUS_MAX_BITS = 8_192;
export const RSA_EXPONENT_MIN = 65_537;
export const RSA_EXPONENT_MAX_BYTES = 4;

/** Protocol 3.6: active signing keys per partner, and how long an older key lives on beside a new one. */
export const ACTIVE_SIGNING_KEYS_MAX = 3;
export const ROTATION_OVERLAP_SECONDS = 14 * 86_400;

/** Decision 24: a body over 64 kB is refused unread; headers are capped by Node at 32 kB. */
export const BODY_MAX_BYTES = 65_536;
export const HEADER_MAX_BYTES = 32_768;

/** Decision 24: each piece of a body costs as much as the next, however short; and so does each request sent ahead. */
export const BODY_CHUNKS_MAX = 2_000;
export const PIPELINED_REQUESTS_MAX = 32;

/** Decision 24: objects and arrays within one another in a body or a token, which may carry claims of the partner's own. */
export const JSON_DEPTH_MAX = 32;

/** Decision 15: an intent nobody confirms expires after this, unless configured otherwise. */
export const INTENT_TTL_DEFAULT_SECONDS = 1_800;

/** Decision 15: readers say `expired` ahead of the row only this long after the deadline, in case Postgres' clock is set back. */
export const EXPIRY_GRACE_MS = 3_000;
export const STATEMENT_TIMEOUT_MS = 1_800;

/**
 * Record 132: a workflow that nobody has woken adopts `expired` some time after the deadline, between these shares of the
 * payment's life, so that many deadlines at once are not many tasks at once, and the rows are expired first. Of a payment that
 * lives longer, as if it lived for so long.
 */
export const EXPIRY_ADOPTED_AFTER_SHARE = 1 / 30;
export const EXPIRY_ADOPTED_WITHIN_SHARE = 1 / 3;
export const EXPIRY_ADOPTED_LIFE_MAX_MS = 1_800_000;

/** Decision 121: so many callers are answered by one statement, by so many at a time; none waits for its turn longer. */
export const BATCHED_CALLERS_MAX = 64;
export const BATCHES_UNDER_WAY_MAX = 2;
export const BATCH_WAIT_MAX_MS = 2_000;

/** Decision 5: how long a confirm waits for the outcome, and for how long the API asks Temporal at all. */
export const CONFIRM_WAIT_DEFAULT_MS = 8_000;
export const ORCHESTRATION_WAIT_MAX_MS = 10_000;

/** How long a row that was swept is left to the worker that did: a payment whose run died is taken up within this. */
export const CLAIM_LEASE_SECONDS = 30;

/** One attempt may query (5 s), send (5 s) and write: its activity times out after this. */
export const PAYOUT_ATTEMPT_MAX_SECONDS = 16;
/** An attempt sends within this time after it began to record the sending, or not at all: its worker may have been frozen. */
export const PAYOUT_SENT_WITHIN_MS = 1_000;
/** A sending is over so long after its record: sent within 1 s, and given up after 5 s. Until then "unknown key" proves nothing. */
export const PAYOUT_SENDING_MAX_SECONDS = 6;
/** The attempt within the task that authorizes waits so long for the provider; later ones wait PAYOUT_ATTEMPT_TIMEOUT_MS. */
export const PAYOUT_AT_ONCE_TIMEOUT_MS = 1_500;
/**
 * The first sending follows its debit within this. A workflow task that is repeated after its timeout of 5 s begins it later, and
 * the provider is queried first.
 */
export const PAYOUT_FOLLOWS_DEBIT_WITHIN_SECONDS = 2;
/** Decision 125: after this an attempt leaves the capture to the workflow, since that may take 9 s at worst. */
export const PAYOUT_CAPTURED_WITHIN_SECONDS = 7;

/** For so long operations keep a payout closed while they have it judged. A run that dies meanwhile leaves it to its successor then. */
export const PAYOUT_LOCKED_FOR_SECONDS = 60;

/** Decision 105: a call to the provider gives up after 5 s; an unknown payout is told to operations in 15 minutes. */
export const PAYOUT_ATTEMPT_TIMEOUT_MS = 5_000;
export const PAYOUT_UNKNOWN_DEFAULT_SECONDS = 900;
export const PROVIDER_ANSWER_MAX_BYTES = 16_384;

/** Decision 19: one webhook attempt may take 15 s; this much of the receiver's answer is read, this much kept. */
export const WEBHOOK_ATTEMPT_TIMEOUT_MS = 15_000;
export const WEBHOOK_ANSWER_MAX_BYTES = 4_096;
export const WEBHOOK_ANSWER_STORED_BYTES = 1_024;

/** Decision 19: the attempt and two statements. The lease of the event is longer, so that two attempts are never under valid leases. */
export const WEBHOOK_ACTIVITY_MAX_SECONDS = 25;
export const WEBHOOK_LEASE_SECONDS = 30;
/** When an attempt is later than due by this, the poller makes it. */
export const WEBHOOK_EXPECTED_WITHIN_SECONDS = 60;
/** By default, from one worker to one endpoint at a time. */
export const WEBHOOKS_PER_ENDPOINT_DEFAULT = 16;

/** An endpoint that took so many events in a row, each within this time, is sent the next one within the payment's workflow task. */
export const WEBHOOK_FAST_ANSWERS_MIN = 10;
export const WEBHOOK_FAST_WITHIN_MS = 300;
/** Of a worker's workflow tasks, half of which are left to payments. */
export const WEBHOOKS_IN_TASKS_MAX = 50;

/** Decision 19: so many 410 in a row, or nothing taken for so long, disable an endpoint. */
export const WEBHOOK_GONE_IN_A_ROW_MAX = 3;
export const WEBHOOK_FAILING_DAYS_MAX = 5;

/** Decision 105: a payout that is pending this long is shown to operations, and asked about further. */
export const PAYOUT_PENDING_ATTENTION_SECONDS = 3_600;

/** Decision 127: the watch over restores ticks every 30 s; a restart of everything takes minutes. */
export const RESTORE_WATCH_MAX_AGE_DEFAULT_SECONDS = 900;
/** Decision 127: one tick and half of another. A Postgres whose last tick is older may have been put back and not be noticed yet. */
export const RESTORE_WATCH_FRESH_SECONDS = 45;

/** Decisions 20 and 32: what EMVCo allows a payment code, of whose characters all but a name are one byte, and its amount. */
export const QR_PAYLOAD_MAX_BYTES = 512;
export const QR_AMOUNT_MAX_CHARACTERS = 13;

/** Record 130: what moved so close to an edge of a statement's period is open, and neither right nor a difference. */
export const STATEMENT_EDGE_SECONDS = 300;
/** A longer line of a statement is refused, so that reading one never holds more; and a longer key is no key. */
export const STATEMENT_LINE_MAX_BYTES = 16_384;
export const STATEMENT_TEXT_MAX_CHARACTERS = 256;
