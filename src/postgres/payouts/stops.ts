// Port payout-stops over Postgres, and what operations see and end of it. The attempt itself looks at the table (payout-journal.ts).
import type { QueryConfig } from 'pg';
import {
  EXPIRY_GRACE_MS,
  PAYOUT_SENDING_MAX_SECONDS,
  RESTORE_WATCH_FRESH_SECONDS,
  CLAIM_LEASE_SECONDS,
} from '../../domain/limits';
import type { Period } from '../../domain/reconciliation';
import type { PayoutStopping, PayoutStops, StopKind } from '../../ports/payouts/stops';
import { readRows, type Queryable } from '../database';

/** The predicate of a statement: whether a stop of all payouts is in force (decision 127). */
export const ARE_PAYOUTS_STOPPED = 'exists (select from payout_stops where ended_at is null)';

/** Whether a stop holds up the intent `i`: it was authorized, and its payout was not begun. */
export const IS_HELD_UP = `(i.status = 'authorized' and ${ARE_PAYOUTS_STOPPED}
         and not exists (select from payouts p where p.intent_id = i.intent_id))`;

/** Of a stop: that it was made because a database was put back, or may have been. */
const IS_FOR_RESTORE = `kind <> 'operator'`;

/** Whether a stop is in force because a database was, or may have been, put back: nothing expires then, nothing is cancelled. */
export const IS_RESTORE_STOP_IN_FORCE = `exists (select from payout_stops where ended_at is null and ${IS_FOR_RESTORE})`;

/** The watch has not ticked since Postgres began another timeline: by a failover, or by a restore from an archive. */
export const IS_TIMELINE_NEW =
  'exists (select from restore_watch where timeline is distinct from log_timeline())';

/** What was sent right before a failover may be on its way still, and the row may not know it. */
export const HAS_JUST_FAILED_OVER = `(${IS_TIMELINE_NEW} or exists (select from restore_watch
         where timeline_changed_at > service_now() - interval '${String(PAYOUT_SENDING_MAX_SECONDS)} s'))`;

/**
 * Whether Postgres may have forgotten that the intent `i` was paid: it is older than a stop for a restore or than the last failover,
 * or it may repeat a payment that was lost. Then the provider is queried before anything is sent, and before the intent expires or
 * is cancelled. Two machines' clocks are compared, so an intent counts as older that was created a little later.
 */
export const MUST_QUERY_PROVIDER = `(i.must_query_provider
         or exists (select from payout_stops where ${IS_FOR_RESTORE} and at >= i.created_at)
         or exists (select from restore_watch where timeline_changed_at + interval '${String(EXPIRY_GRACE_MS)} ms' >= i.created_at))`;

/**
 * The same, or the watch has not ticked since Postgres was put back or failed over: its last tick is old, as in a backup, or is of
 * another timeline.
 */
export const MAY_HAVE_FORGOTTEN = `(${MUST_QUERY_PROVIDER} or ${IS_TIMELINE_NEW} or not exists (select from restore_watch
         where ticked_at > service_now() - interval '${String(RESTORE_WATCH_FRESH_SECONDS)} s'))`;

export type { PayoutStopping };

export interface PayoutStop {
  readonly at: Date;
  readonly actor: string;
  readonly reason: string;
  readonly kind: StopKind;
  /** Of a `watch_gap` alone: when Postgres and Temporal were last compared before it. */
  readonly gap_since: Date | null;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
  readonly ended_reason: string | null;
}

const COLUMNS = 'at, actor, reason, kind, gap_since, ended_at, ended_by, ended_reason';

export function createPayoutStops(database: Queryable): PayoutStops {
  return {
    async stop({ actor, reason, kind, gapSince = null }) {
      const values = [actor, reason, kind, gapSince];
      return (await readRows(database, { text: STOP, values })).length === 1;
    },
  };
}

const STOP = `
  insert into payout_stops as s (actor, reason, kind, gap_since) values ($1, $2, $3, $4)
      on conflict (actor, reason) where ended_at is null
      do update set kind = excluded.kind, gap_since = excluded.gap_since, at = excluded.at
                 where s.kind = 'operator' and excluded.kind <> 'operator'
  returning stop_id`;

export interface Allowance {
  readonly actor: string;
  readonly reason: string;
  /** Whether a stop for a restore is ended too: only once operations have compared with the provider. */
  readonly isAfterRestore: boolean;
}

const END = 'update payout_stops set ended_at = service_now(), ended_by = $1, ended_reason = $2';

/**
 * Ends every stop that is in force, and answers those; none while one is for a restore that nobody has compared. What was held up
 * goes on half a minute later.
 */
export function allowPayouts(
  database: Queryable,
  { actor, reason, isAfterRestore }: Allowance,
): Promise<readonly PayoutStop[]> {
  return endStops(database, {
    text: `${END}
            where ended_at is null
              and ($3 or not exists (select from payout_stops where ended_at is null and ${IS_FOR_RESTORE}))
           returning ${COLUMNS}`,
    values: [actor, reason, isAfterRestore],
  });
}

/** Lifts the stops by age whose whole gap lies in a period for which our books and the provider's agree; no others. */
export function liftWatchGaps(
  database: Queryable,
  { since, until }: Period,
  { actor, reason }: Omit<Allowance, 'isAfterRestore'>,
): Promise<readonly PayoutStop[]> {
  return endStops(database, {
    text: `${END}
            where ended_at is null and kind = 'watch_gap' and gap_since > $3 and at < $4
           returning ${COLUMNS}`,
    values: [actor, reason, since, until],
  });
}

async function endStops(
  database: Queryable,
  statement: QueryConfig,
): Promise<readonly PayoutStop[]> {
  const ended = await readRows<PayoutStop>(database, statement);
  if (ended.length > 0) while ((await hasten(database)) === HASTENED_AT_ONCE);
  return ended;
}

const HASTENED_AT_ONCE = 5_000;

/** Has the reconciler look at payments that a stop has held up as soon as at any other. @returns how many, of all that there are */
async function hasten(database: Queryable): Promise<number> {
  const { rows } = await database.query({
    text: `
      with soon as materialized (
        select service_now() + interval '${String(CLAIM_LEASE_SECONDS)} s' as at
      )
      update payment_intents set check_at = soon.at from soon
       where intent_id = any (array(
               select i.intent_id from payment_intents i
                where i.check_at > (select at from soon) and i.status = 'authorized'
                limit ${String(HASTENED_AT_ONCE)} for update skip locked))
      returning intent_id`,
  });
  return rows.length;
}

const LISTED_AT_MOST = 50;

/** Those in force, and of all others the newest, newest first. */
export function listPayoutStops(database: Queryable): Promise<readonly PayoutStop[]> {
  return readRows(database, {
    text: `select ${COLUMNS} from payout_stops
            order by (ended_at is null) desc, stop_id desc limit ${LISTED_AT_MOST}`,
  });
}
