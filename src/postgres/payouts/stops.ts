// Port `PayoutStops` over Postgres, and the SQL conditions of stops and restores. A payout attempt
// reads the stops in its own statement (journal.ts).
import {
  EXPIRY_GRACE_MS,
  RESTORE_WATCH_FRESH_SECONDS,
  CLAIM_LEASE_SECONDS,
} from '../../domain/limits';
import { PAYOUT_SENDING_MAX_SECONDS } from '../../domain/payouts/limits';
import type { Period } from '../../domain/reconciliation';
import type { PayoutStops, StopKind } from '../../ports/restores';
import { decide } from '../approvals/decide';
import { readOne, readRows, type Queryable } from '../database';

/** Whether a stop of all payouts is in force (decision 127). */
export const ARE_PAYOUTS_STOPPED = 'exists (select from payout_stops where ended_at is null)';

/** Whether a stop delays the intent `i`: the intent is authorized, and its payout was not begun. */
export const IS_DELAYED_BY_STOP = `(i.status = 'authorized' and ${ARE_PAYOUTS_STOPPED}
         and not exists (select from payouts p where p.intent_id = i.intent_id))`;

/**
 * Whether a stop was made because a database was, or may have been, restored to an earlier time.
 */
const IS_FOR_RESTORE = `kind <> 'operator'`;

/** Whether such a stop is in force. While it is, no payment expires and none is cancelled. */
export const IS_RESTORE_STOP_IN_FORCE = `exists (select from payout_stops
         where ended_at is null and ${IS_FOR_RESTORE})`;

/**
 * Whether the restore watch has not ticked since Postgres began another timeline, by a failover or
 * by a restore from an archive.
 */
export const IS_TIMELINE_NEW =
  'exists (select from restore_watch where timeline is distinct from log_timeline())';

/**
 * Whether the server was started after the last tick of the restore watch: its data may have been
 * put back meanwhile, on the same timeline.
 */
export const HAS_RESTARTED = `exists (select from restore_watch
         where server_started_at is distinct from pg_postmaster_start_time())`;

/**
 * A payout that was sent right before a failover may still be on its way, and its row may have been
 * lost.
 */
export const HAS_JUST_FAILED_OVER = `(${IS_TIMELINE_NEW} or exists (select from restore_watch
         where timeline_changed_at > service_now()
                                     - interval '${String(PAYOUT_SENDING_MAX_SECONDS)} s'))`;

/**
 * Whether Postgres may have lost the payout of the intent `i`: the intent is older than a stop for
 * a restore or than the last failover, or it may repeat a payment that was lost. Then the provider
 * is queried before anything is sent, and before the intent expires or is cancelled. The condition
 * compares the clocks of two machines, so an intent that was created shortly after the failover
 * counts as older.
 */
export const MUST_QUERY_PROVIDER = `(i.must_query_provider
         or exists (select from payout_stops where ${IS_FOR_RESTORE} and at >= i.created_at)
         or exists (select from restore_watch
                     where timeline_changed_at + interval '${String(EXPIRY_GRACE_MS)} ms'
                           >= i.created_at))`;

/**
 * Like {@link MUST_QUERY_PROVIDER}, and also true if the restore watch has not ticked since a
 * restore or failover of Postgres: its last tick is old, as in a backup, or is of another timeline.
 */
export const MAY_HAVE_LOST_COMMITS = `(${MUST_QUERY_PROVIDER}
         or ${IS_TIMELINE_NEW} or not exists (select from restore_watch
         where ticked_at > service_now() - interval '${String(RESTORE_WATCH_FRESH_SECONDS)} s'))`;

const DELAYED_COUNTED_MAX = 10_000;

/** How many payments wait because of a stop; counting ends at 10 000. */
export async function countDelayed(database: Queryable): Promise<number> {
  const { delayed } = await readOne<{ readonly delayed: number }>(database, {
    text: `select count(*) as delayed
             from (select from payment_intents i
                    where i.check_at is not null and ${IS_DELAYED_BY_STOP}
                    limit ${String(DELAYED_COUNTED_MAX)}) as found`,
  });
  return delayed;
}

export interface PayoutStop {
  readonly at: Date;
  readonly actor: string;
  readonly reason: string;
  readonly kind: StopKind;
  /**
   * When Postgres and Temporal were last compared before the stop; null unless it is a `watch_gap`.
   */
  readonly gap_since: Date | null;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
  readonly ended_reason: string | null;
}

const COLUMNS = 'at, actor, reason, kind, gap_since, ended_at, ended_by, ended_reason';

export function createPayoutStops(database: Queryable): PayoutStops {
  return {
    async stop({ actor, reason, kind, gapSince = null }) {
      const { isNew } = await readOne<{ readonly isNew: boolean }>(database, {
        text: 'select stop_payouts($1, $2, $3, $4) as "isNew"',
        values: [actor, reason, kind, gapSince],
      });
      return isNew;
    },
  };
}

export interface Allowance {
  readonly actor: string;
  readonly reason: string;
  /**
   * Whether to lift a stop for a restore too: only after operators have reconciled with the
   * provider.
   */
  readonly isAfterRestore: boolean;
}

/**
 * Lifts every stop that is in force, or none if one of them is for a restore and {@link
 * Allowance.isAfterRestore} is false. Delayed payments continue half a minute later.
 * @returns the stops that it lifted
 * @throws ApprovalRequired
 */
export async function allowPayouts(
  database: Queryable,
  { actor, reason, isAfterRestore }: Allowance,
): Promise<readonly PayoutStop[]> {
  const given = { reason, after_restore: isAfterRestore };
  const done = await decide<{ readonly stops: readonly number[] }>(database, {
    verb: 'payouts allow',
    given,
    actor,
  });
  if (done === null) return [];
  await advanceDelayed(database);
  return readRows(database, {
    text: `select ${COLUMNS} from payout_stops where stop_id = any ($1) order by stop_id`,
    values: [done.effect.stops],
  });
}

/**
 * Lifts the stops by age (`watch_gap`) whose entire gap lies in a period in which our books agree
 * with the provider's. It lifts no other stop.
 */
export async function liftWatchGaps(
  database: Queryable,
  { since, until }: Period,
  { reconciliationId, actor }: { readonly reconciliationId: number; readonly actor: string },
): Promise<readonly PayoutStop[]> {
  const ended = await readRows<{ readonly id: number }>(database, {
    text: 'select lift_watch_gaps($1, $2, $3, $4) as id',
    values: [reconciliationId, since, until, actor],
  });
  const lifted = await readRows<PayoutStop>(database, {
    text: `select ${COLUMNS} from payout_stops where stop_id = any ($1) order by stop_id`,
    values: [ended.map(({ id }) => id)],
  });
  if (lifted.length > 0) await advanceDelayed(database);
  return lifted;
}

const ADVANCED_AT_ONCE = 5_000;

/** Makes delayed payments due for the workflow repairer as soon as any other payment. */
async function advanceDelayed(database: Queryable): Promise<void> {
  const statement = {
    text: 'select advance_delayed($1) as advanced',
    values: [CLAIM_LEASE_SECONDS],
  };
  const advance = () => readOne<{ readonly advanced: number }>(database, statement);
  while ((await advance()).advanced === ADVANCED_AT_ONCE);
}

const LISTED_AT_MOST = 50;

/** The stops in force, then the newest of the others; each part newest first. */
export function listPayoutStops(database: Queryable): Promise<readonly PayoutStop[]> {
  return readRows(database, {
    text: `select ${COLUMNS} from payout_stops
            order by (ended_at is null) desc, stop_id desc limit ${LISTED_AT_MOST}`,
  });
}
