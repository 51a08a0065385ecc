// Status writes, as local activities of the workflow: compare and set along the table (architecture, section 3, rule
// R1).
import type { IntentId } from '../src/domain/ids';
import type { IntentStore } from '../src/ports/intent-store';
import type { IntentStanding, TransitionCommand, TransitionReport } from '../src/domain/transition';

export interface IntentActivities {
  recordTransition(command: TransitionCommand): Promise<TransitionReport>;
  /** Where the row stands, for a run that was told that it no longer may do what it believed (rule R1). */
  readStanding(intentId: IntentId): Promise<IntentStanding>;
  setAttention(intentId: IntentId, reason: string | null): Promise<void>;
}

export function createIntentActivities(intents: IntentStore): IntentActivities {
  return {
    recordTransition: (command) => intents.transition(command),
    readStanding: (intentId) => intents.standing(intentId),
    setAttention: (intentId, reason) => intents.setAttention(intentId, reason),
  };
}
