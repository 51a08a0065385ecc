// The reconciler of a live world, for tests that sweep by hand: what every worker does by itself.
import { createReconciler, type Reconciler } from '../../src/temporal/reconciler';
import { SILENT } from '../support/silent-log';
import type { LiveWorld } from './live-world';

export function reconcilerOf({ bed, client }: LiveWorld): Reconciler {
  const { sweep: payments, lostCommits: rows, comparisons, intents, clock } = bed;
  return createReconciler({
    ...{ client, rows, payments, comparisons, intents, clock, log: SILENT },
  });
}
