// What the rows say of workers, providers and stops, for `payctl status`.
import { readOne, readRows, type Queryable } from '../database';
import { listClosures, type ClosureInForce } from '../partners/closures';

export interface StatusFigures {
  /** Workers that have replaced their mark in the last seconds. */
  readonly workers: number;
  /** When the last worker did. */
  readonly marked_at: Date | null;
  /** When Postgres and Temporal were last compared. */
  readonly ticked_at: Date;
  /** Since when payouts are stopped; null if they are not. */
  readonly stopped_at: Date | null;
  readonly unanswered: readonly UnansweredPayouts[];
  readonly closures: readonly ClosureInForce[];
}

interface UnansweredPayouts {
  readonly corridor: string;
  readonly payouts: number;
  /** The first attempt of the oldest. */
  readonly since: Date;
}

/** A worker replaces its mark every second. */
const MARKED_WITHIN_SECONDS = 5;
/** Two attempts that have timed out. */
const UNANSWERED_AFTER_SECONDS = 15;

/** @throws DomainError `unavailable` */
export async function readStatusFigures(database: Queryable): Promise<StatusFigures> {
  const figures = await readOne<Omit<StatusFigures, 'unanswered' | 'closures'>>(database, {
    text: `
      select (select count(*) from worker_marks
               where marked_at > clock.now - interval '${MARKED_WITHIN_SECONDS} s') as workers,
             (select max(marked_at) from worker_marks) as marked_at,
             (select ticked_at from restore_watch) as ticked_at,
             (select min(at) from payout_stops where ended_at is null) as stopped_at
        from (select service_now() as now) as clock`,
  });
  const unanswered = await readRows<UnansweredPayouts>(database, {
    text: `
      select i.corridor, count(*) as payouts, min(p.first_attempt_at) as since
        from payment_intents i join payouts p using (intent_id)
       where i.status = 'authorized' and p.answer is null
         and i.check_at <= (select service_now() + interval '600 s')
         and p.first_attempt_at <= (select service_now()
                                           - interval '${UNANSWERED_AFTER_SECONDS} s')
       group by i.corridor`,
  });
  return { ...figures, unanswered, closures: await listClosures(database) };
}
