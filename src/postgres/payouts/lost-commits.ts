// Port `LostCommits` over Postgres.
import { WATCH_ACTOR } from '../../domain/restore';
import type { LostCommits, RowLoss } from '../../ports/restores';
import { isNotPermitted } from '../approvals/decide';
import type { Queryable } from '../database';

const MISSING_ROW =
  'Postgres lost commits: a workflow is running whose row is missing. See docs/restore.md.';
const ROW_LOSSES: Readonly<Record<RowLoss, string>> = {
  recreated:
    'Postgres lost commits: an intent was created again, and its workflow is older than its row. ' +
    'See docs/restore.md.',
  behind:
    'Postgres lost commits: the row of a payment lacks what its workflow has written. ' +
    'See docs/restore.md.',
};

/**
 * Operators have lifted a stop for a restore that is younger than the lost row, so they have
 * reconciled since. A stop for a restore of Temporal alone does not count.
 */
const IS_RECONCILED = (createdAt: string) =>
  `exists (select from payout_stops
            where kind = 'restore' and ended_at is not null and at >= ${createdAt}::timestamptz)`;

export function createLostCommits(database: Queryable): LostCommits {
  return {
    async reportMissingRow(createdAt) {
      await database.query({
        name: 'report-missing-row',
        text: `
          insert into payout_stops (actor, reason, kind)
          select $1, $2, 'restore'
           where not ${IS_RECONCILED('$3')}
              on conflict (actor, reason) where ended_at is null do nothing`,
        values: [WATCH_ACTOR, MISSING_ROW, createdAt],
      });
    },

    async permitClosing(intentId, { actor, evidence }) {
      try {
        await database.query({
          name: 'spend-closing',
          text: 'select spend_closing($1, $2, $3)',
          values: [intentId, actor, evidence],
        });
        return true;
      } catch (error) {
        if (isNotPermitted(error)) return false;
        throw error;
      }
    },

    async reportRow(loss, intentId, createdAt) {
      await database.query({
        name: 'report-row',
        text: `
          with marked as (
            update payment_intents set must_query_provider = true
             where intent_id = $3 and not must_query_provider
            returning intent_id
          )
          insert into payout_stops (actor, reason, kind)
          select $1, $2, 'restore' from marked where not ${IS_RECONCILED('$4')}
              on conflict (actor, reason) where ended_at is null do nothing`,
        values: [WATCH_ACTOR, ROW_LOSSES[loss], intentId, createdAt],
      });
    },
  };
}
