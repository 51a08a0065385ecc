// What is said of an open intent whose run has completed (architecture, section 3, "Starting and repairing").
import type { IntentStatus } from './payment-intent';

/**
 * How the attention of such a row begins: a database was restored, and what the run did is known to the run alone. Nothing starts
 * another by itself, also when Temporal has forgotten the run: it would pay what its partner was told had failed.
 *
 * Rows in production hold this very text, and by it the sweep leaves them alone (src/postgres/intents/claims.ts): never change it.
 */
export const WORKFLOW_HAS_COMPLETED = 'The workflow has completed, but the row says ';

export function workflowHasCompleted(row: IntentStatus): string {
  return `${WORKFLOW_HAS_COMPLETED}${row}. Was a database restored?`;
}
