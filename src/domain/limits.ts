// All limits of the protocol and of our decisions. The unit is the end of each name.

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

/** A nonce is stored for the window plus the skew on both sides (decision 12). */
export const NONCE_RETENTION_SECONDS = NONCE_WINDOW_SECONDS + 2 * TIMESTAMP_SKEW_MAX_SECONDS;

/**
 * Decision 141: longer than Temporal keeps a completed workflow, so that none returns to a payment
 * whose transitions were pruned.
 */
export const PRUNE_AGE_MIN_DAYS = 90;

/** Protocol 4.7, step 7: `exp - iat`. */
export const TOKEN_LIFETIME_MAX_SECONDS = 600;

/** Protocol 4.7, step 6: the greatest age by `iat`. */
export const TOKEN_AGE_MAX_SECONDS = 900;

/** Protocol 4.7, step 6: `iat` may be as far ahead as the timestamp of a signature. */
export const TOKEN_ISSUED_AHEAD_MAX_SECONDS = 300;

/** Protocol 4.7, step 6: issuers write the second of issue, by a clock a little ahead. */
export const TOKEN_NOT_BEFORE_AHEAD_MAX_SECONDS = 5;

/** Protocol 4.3: attestation times at most 60 seconds in the future. */
export const ATTESTED_AHEAD_MAX_SECONDS = 60;

/** Decision 9: a longer session token is rejected unread. */
export const TOKEN_MAX_CHARACTERS = 8_192;
/**
 * Decision 9: for `iss`, `sub`, `jti`, `method` and `kid`, which the service stores or compares.
 */
export const TOKEN_TEXT_MAX_CHARACTERS = 1_024;
export const KID_MAX_CHARACTERS = 256;
/** Verified tokens that one API process caches: at most 40 MB. */
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

/**
 * Protocol 3.6: active signing keys per partner, and how long an old key stays active beside a new
 * one.
 */
export const ACTIVE_SIGNING_KEYS_MAX = 3;
export const ROTATION_OVERLAP_SECONDS = 14 * 86_400;

/** Decision 24: a body over 64 kB is rejected unread. Node caps headers at 32 kB. */
export const BODY_MAX_BYTES = 65_536;
export const HEADER_MAX_BYTES = 32_768;

/** Decision 24: even a short chunk of a body costs CPU, and so does each pipelined request. */
export const BODY_CHUNKS_MAX = 2_000;
export const PIPELINED_REQUESTS_MAX = 32;

/** Decision 24: depth of nested objects and arrays in a body or a token. */
export const JSON_DEPTH_MAX = 32;

/** Decision 15: default time until an unconfirmed intent expires. */
export const INTENT_TTL_DEFAULT_SECONDS = 1_800;

/**
 * Decision 15: readers say `expired` before the row does only this long after the deadline:
 * Postgres' clock may be set back.
 */
export const EXPIRY_GRACE_MS = 3_000;

/**
 * A statement waits for a connection, then until the server ends it, or longer where the server is
 * silent.
 */
export const CONNECTION_WAIT_MAX_MS = 2_000;
export const STATEMENT_TIMEOUT_MS = 1_800;
export const SILENCE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 700;
export const STATEMENT_MAX_MS = CONNECTION_WAIT_MAX_MS + SILENCE_TIMEOUT_MS;

/** A task of a killed worker is given to another worker after this time. */
export const WORKFLOW_TASK_TIMEOUT_MS = 5_000;
/** The SDK ends a task early, at this share of its timeout, while a local activity goes on. */
export const TASK_ENDS_EARLY_AFTER_MS = 0.8 * WORKFLOW_TASK_TIMEOUT_MS;

/**
 * Decision 132: a sleeping workflow adopts `expired` after the deadline, at a time between these
 * shares of the payment's life. This spreads the tasks of many equal deadlines, and the rows expire
 * first. A longer life counts as EXPIRY_ADOPTED_LIFE_MAX_MS.
 */
export const EXPIRY_ADOPTED_AFTER_SHARE = 1 / 30;
export const EXPIRY_ADOPTED_WITHIN_SHARE = 1 / 3;
export const EXPIRY_ADOPTED_LIFE_MAX_MS = 1_800_000;

/** Decision 121: callers per statement, statements at a time, and the longest wait of a caller. */
export const BATCHED_CALLERS_MAX = 64;
export const BATCHES_UNDER_WAY_MAX = 2;
export const BATCH_WAIT_MAX_MS = 2_000;

/** Decision 5: how long a confirm waits for the outcome, and the longest wait for Temporal. */
export const CONFIRM_WAIT_DEFAULT_MS = 8_000;
export const ORCHESTRATION_WAIT_MAX_MS = 10_000;

/** Lease of a claimed row. A payment whose workflow died is repaired within this. */
export const CLAIM_LEASE_SECONDS = 30;

/**
 * Decision 19: timeout of a webhook attempt; how much of the answer is read, and how much stored.
 */
export const WEBHOOK_ATTEMPT_TIMEOUT_MS = 15_000;
export const WEBHOOK_ANSWER_MAX_BYTES = 4_096;
export const WEBHOOK_ANSWER_STORED_BYTES = 1_024;

/**
 * Decision 19: an attempt and two statements. The lease is longer, so that two attempts never hold
 * valid leases.
 */
export const WEBHOOK_ACTIVITY_MAX_SECONDS =
  Math.ceil((WEBHOOK_ATTEMPT_TIMEOUT_MS + 2 * STATEMENT_MAX_MS) / 1_000) + 1;
export const WEBHOOK_LEASE_SECONDS = WEBHOOK_ACTIVITY_MAX_SECONDS + 5;
/** The poller makes an attempt that is overdue by this. */
export const WEBHOOK_EXPECTED_WITHIN_SECONDS = 60;
/** Default number of simultaneous webhooks from one worker to one endpoint. */
export const WEBHOOKS_PER_ENDPOINT_DEFAULT = 16;

/**
 * After this many fast answers in a row an endpoint gets its next event within the payment's
 * workflow task.
 */
export const WEBHOOK_FAST_ANSWERS_MIN = 10;
export const WEBHOOK_FAST_WITHIN_MS = 300;
/**
 * Webhooks within a worker's workflow tasks: half of its slots, so that payments have the other
 * half.
 */
export const WEBHOOKS_IN_TASKS_MAX = 50;

/**
 * Decision 19: this many answers 410 in a row, the first at least so long ago, or this many days of
 * failures disable an endpoint.
 */
export const WEBHOOK_GONE_IN_A_ROW_MAX = 3;
export const WEBHOOK_GONE_FOR_SECONDS = 60;
export const WEBHOOK_FAILING_DAYS_MAX = 5;

export const RESTORE_WATCH_EVERY_SECONDS = 30;
/** Decision 127: a restart of everything takes minutes. */
export const RESTORE_WATCH_MAX_AGE_DEFAULT_SECONDS = 900;
/** Decision 127: one and a half ticks. With an older last tick, a restore may be undetected yet. */
export const RESTORE_WATCH_FRESH_SECONDS = 1.5 * RESTORE_WATCH_EVERY_SECONDS;
/** Decision 127: a worker's memory of its mark in Postgres, and the row of a worker that ended. */
export const WORKER_MARK_LIVES_SECONDS = 86_400;

/** Decisions 20 and 32: EMVCo's limits of a payment code and of its amount. */
export const QR_PAYLOAD_MAX_BYTES = 512;
export const QR_AMOUNT_MAX_CHARACTERS = 13;

/** Decision 130: money that moved this close to an edge of a statement's period is left open. */
export const STATEMENT_EDGE_SECONDS = 300;
/**
 * A statement with a longer line is rejected, which bounds memory. A longer key is no payout key.
 */
export const STATEMENT_LINE_MAX_BYTES = 16_384;
export const STATEMENT_TEXT_MAX_CHARACTERS = 256;
