// Payments that ended long ago: times of a prune, and the tables that it empties.
import { secondsAfter, NOON } from '../../support/clock';
import type { TestBed } from '../../support/builders';

export const days = (count: number) => secondsAfter(NOON, count * 86_400);
export const LATER = days(200);
export const BEFORE = days(100).toISOString();
export const ORDER = { before: days(100), actor: 'ann' };

/** Where an intent has rows, and what `prune` does with them. */
export const EMPTIED = [
  'intent_transitions',
  'ledger_transfers',
  'payouts',
  'webhook_events',
  'attention',
  'payout_resolutions',
  'quotes',
  'quote_requests',
];

/** Every event was delivered. */
export async function finishAll({ database }: TestBed): Promise<void> {
  await database.query({
    text: `update webhook_events set state = 'delivered', finished_at = service_now(),
                                     check_at = null, due_at = null`,
  });
}
