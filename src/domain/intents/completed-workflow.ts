// Attention reason of an open intent whose workflow has completed, or may have completed and been
// deleted by Temporal (architecture, section 3, "Starting and repairing").
import type { IntentStatus } from './payment-intent';

/**
 * A database was restored, and only the completed workflow knew the outcome. **Danger: double
 * payment.** Only an operator starts another workflow for such a row (`payctl intents resume
 * --after-restore`): it could pay a payment that was reported failed. Never change this text:
 * statements skip rows whose stored reason begins with it (src/postgres/intents/claims.ts,
 * expiry.ts, acknowledge.ts).
 */
export const WORKFLOW_HAS_COMPLETED = 'The workflow has completed or is gone, but the row says ';

export function workflowHasCompleted(row: IntentStatus): string {
  return `${WORKFLOW_HAS_COMPLETED}${row}. Was a database restored?`;
}
