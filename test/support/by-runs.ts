// What a sweep does with owed webhooks where the process that sweeps sends none itself: each gets a run.
import type { Client } from '@temporalio/client';
import type { OwedDeliveries } from '../../src/temporal/owed-deliveries';
import { ensureDelivery } from '../../src/temporal/webhook-start';

/** A Temporal that does not answer fails the test. */
export function deliveriesByRuns(client: Client): OwedDeliveries {
  return {
    take: (event) => ensureDelivery(client, event),
    ended: () => Promise.resolve(),
  };
}
