// What a provider's answer permits: whether the order may be sent again, and whether the debit may
// be released (decision 150). Workflow and activities consult this table; no other place decides
// it. A failure code permits nothing by itself.
import { PAYOUT_RETRIED_FOR_SECONDS, PAYOUT_SENDING_MAX_SECONDS } from './limits';

export const FAILURE_CODES = [
  ...(['payee_unknown', 'payee_closed', 'amount_differs', 'above_limit', 'below_limit'] as const),
  ...(['rate_expired', 'insufficient_balance', 'compliance', 'provider_down', 'other'] as const),
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

/** After a refusal with one of these the same order may succeed a little later. */
export const PASSING_CODES: readonly FailureCode[] = ['insufficient_balance', 'provider_down'];

/** What a provider guarantees. An adapter declares the safe value where documents are silent. */
export interface Abilities {
  /** Its answer to a key that it has: the same order, a refusal, or perhaps a second payment. */
  readonly repeat: 'same' | 'refused' | 'unsafe';
  /** It can be queried by our key, whatever became of the order. */
  readonly findsByKey: boolean;
  /** An order that it does not know 6 s after the request will never be executed. */
  readonly notFoundIsProof: boolean;
  /** A request that it has refused will never be executed. */
  readonly refusalIsFinal: boolean;
  /** What it has declined will never be paid. */
  readonly declineIsFinal: boolean;
}

/** What several providers have in common, for an answer that all of them gave. */
export function weakestOf(all: readonly Abilities[]): Abilities {
  const each = (ability: 'findsByKey' | 'notFoundIsProof' | 'refusalIsFinal' | 'declineIsFinal') =>
    all.every((one) => one[ability]);
  // An order that waits at one of them may run although another is sent it.
  const mayRunLater = all.length > 1 && !each('notFoundIsProof');
  const repeats = all.map(({ repeat }) => repeat);
  const isUnsafe = mayRunLater || repeats.includes('unsafe');
  return {
    repeat: isUnsafe ? 'unsafe' : (repeats[0] ?? 'unsafe'),
    findsByKey: each('findsByKey'),
    notFoundIsProof: each('notFoundIsProof'),
    refusalIsFinal: each('refusalIsFinal'),
    declineIsFinal: each('declineIsFinal'),
  };
}

/** What our row says of a payout, when the query began. */
export interface PayoutRecord {
  /** Orders that were recorded before a byte left. */
  readonly requests: number;
  /** Those that the provider has answered `refused`. */
  readonly refusals: number;
  /** The code of the refusals: one that does not pass, if there was any. */
  readonly refusedAs: FailureCode | null;
  /** The provider once said pending, paid, returned or duplicate. */
  readonly isAccepted: boolean;
  /** For how many milliseconds the provider has declined; null if it has not, or has revoked it. */
  readonly declinedMs: number | null;
  /** Milliseconds since the first request; null without one. */
  readonly requestedMs: number | null;
  /** The row may lack a request: Postgres may have lost commits. */
  readonly mayBeForgotten: boolean;
  /** No request, forgotten ones included, can still be on its way. */
  readonly isQuiet: boolean;
}

export interface Permissions {
  readonly send: boolean;
  readonly release: boolean;
}

const NOTHING: Permissions = { send: false, release: false };

/**
 * @param answer to a query that began when the row said `record`. An answer to an order permits
 * nothing: the next query decides.
 */
export function permissionsOf(
  answer: 'paid' | 'returned' | 'pending' | 'declined' | 'not_found' | 'unknown',
  record: PayoutRecord,
  abilities: Abilities,
): Permissions {
  if (answer === 'declined') return { send: false, release: isDeclineFinal(record, abilities) };
  const isDenied = answer === 'not_found';
  const isWithoutOrder = isDenied || answer === 'unknown';
  return isWithoutOrder && !isHad(record) && record.isQuiet
    ? withoutOrder(isDenied, record, abilities)
    : NOTHING;
}

function withoutOrder(isDenied: boolean, record: PayoutRecord, abilities: Abilities): Permissions {
  if (record.requests === 0 && !record.mayBeForgotten) return beforeRequest(isDenied, abilities);
  return isDenied ? afterDenial(record, abilities) : NOTHING;
}

/** The provider has had the order: its later denial contradicts that, and proves nothing. */
function isHad({ isAccepted, declinedMs }: PayoutRecord): boolean {
  return isAccepted || declinedMs !== null;
}

/**
 * Postgres may lose a request of the last second unnoticed. So a provider that can be queried by
 * key must deny it, and one that cannot must not pay twice.
 */
function beforeRequest(isDenied: boolean, { findsByKey, repeat }: Abilities): Permissions {
  return {
    send: isDenied || (!findsByKey && repeat !== 'unsafe'),
    release: isDenied || !findsByKey,
  };
}

/** Where a decline may be revoked, the provider must repeat it after a while. */
function isDeclineFinal({ declinedMs, isQuiet }: PayoutRecord, abilities: Abilities): boolean {
  const isRepeated = declinedMs !== null && declinedMs >= PAYOUT_SENDING_MAX_SECONDS * 1_000;
  return abilities.declineIsFinal || (isRepeated && isQuiet);
}

function afterDenial(record: PayoutRecord, abilities: Abilities): Permissions {
  const { requests, refusals, mayBeForgotten } = record;
  const isOver = isRefusedForGood(record);
  const isEachRefused = requests === refusals && !mayBeForgotten;
  return {
    send: !isOver && abilities.repeat !== 'unsafe',
    release: abilities.notFoundIsProof || (isOver && isEachRefused && abilities.refusalIsFinal),
  };
}

/** Nothing is sent again after a code that does not pass, nor long after the first request. */
function isRefusedForGood({ refusedAs, requestedMs }: PayoutRecord): boolean {
  if (refusedAs === null) return false;
  const isLate = requestedMs !== null && requestedMs >= PAYOUT_RETRIED_FOR_SECONDS * 1_000;
  return isLate || !PASSING_CODES.includes(refusedAs);
}

/** The record where no row says anything: another may have sent the payout. */
export const FORGOTTEN: PayoutRecord = {
  ...{ requests: 0, refusals: 0, refusedAs: null, isAccepted: false },
  ...{ declinedMs: null, requestedMs: null, mayBeForgotten: true, isQuiet: true },
};
