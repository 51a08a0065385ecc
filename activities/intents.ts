// Status writes, as local activities of the workflow: compare and set along the table (architecture, section 3, rule
// R1).
import type { IntentId } from '../src/domain/ids';
import type { IntentStore } from '../src/ports/intent-store';
import type { Log } from '../src/ports/log';
import type { IntentStanding, TransitionCommand, TransitionReport } from '../src/domain/transition';

export interface IntentActivities {
  recordTransition(command: TransitionCommand): Promise<TransitionReport>;
  /** Where the row stands, for a run that was told that it no longer may do what it believed (rule R1). */
  readStanding(intentId: IntentId): Promise<IntentStanding>;
  /** @param isSettled whether the intent has ended already: what contradicts its end is for people too */
  setAttention(intentId: IntentId, reason: string | null, isSettled?: boolean): Promise<void>;
}

export interface IntentDependencies {
  readonly intents: IntentStore;
  readonly log: Log;
  /** Whether operations may confirm without a token: off in prod unless configured (architecture, section 3). */
  readonly isOperatorConfirmAllowed: boolean;
}

export function createIntentActivities({
  intents,
  log,
  isOperatorConfirmAllowed,
}: IntentDependencies): IntentActivities {
  return {
    async recordTransition(command) {
      const isByOperator = command.event === 'authorize' && command.token === undefined;
      if (!isByOperator || isOperatorConfirmAllowed) return intents.transition(command);
      log.warn({ intent_id: command.intentId, actor: command.actor }, 'operator confirm refused');
      return {
        ...(await intents.standing(command.intentId)),
        outcome: 'token_refused',
        dueInMs: 0,
      };
    },
    readStanding: (intentId) => intents.standing(intentId),
    async setAttention(intentId, reason, isSettled = false) {
      await intents.setAttention(intentId, reason, isSettled);
      // One line when it is raised: what operations are woken by, beside the metric.
      if (reason !== null) log.warn({ intent_id: intentId, reason }, 'payment needs attention');
    },
  };
}
