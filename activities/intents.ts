// Status writes, as local activities of the workflow: compare and set along the table (architecture, section 3, rule
// R1); and the debit, where the authorize did not make it.
import type { Corridor } from '../src/domain/corridor';
import { RowMissing } from '../src/domain/errors';
import type { IntentId } from '../src/domain/ids';
import type { UsdCents } from '../src/domain/money';
import type {
  IntentCurrentState,
  TransitionCommand,
  TransitionReport,
} from '../src/domain/intents/transition';
import type { DebitOutcome } from '../src/ports/funds-account';
import type { PaymentDependencies } from './dependencies';
import { rowMissing } from './failures';

export function createIntentActivities(dependencies: PaymentDependencies) {
  const { intents, funds, log } = dependencies;
  /** The debit goes with the authorize where the account allows it, and is asked for by itself where it does not. */
  const withDebit = (command: TransitionCommand): TransitionCommand => {
    const { debitUsdCents, ...plain } = command;
    return debitUsdCents !== undefined && funds.joinsAuthorize(debitUsdCents) ? command : plain;
  };
  return {
    async recordTransition(command: TransitionCommand): Promise<TransitionReport> {
      const rejection = await operatorConfirmRejection(dependencies, command);
      if (rejection === undefined) return ofRow(() => intents.transition(withDebit(command)));
      const { intentId, actor } = command;
      log.warn({ intent_id: intentId, actor, reason: rejection }, 'operator confirm refused');
      const standing = await ofRow(() => intents.standing(intentId));
      return { ...standing, outcome: 'token_refused', dueInMs: 0 };
    },

    /** Reads the row for a workflow whose own step the row did not allow (rule R1). */
    readCurrentState: (intentId: IntentId): Promise<IntentCurrentState> =>
      ofRow(() => intents.standing(intentId)),

    /** @param isSettled whether the intent has ended already: what contradicts its end is for people too */
    async setAttention(intentId: IntentId, reason: string, isSettled = false): Promise<void> {
      await intents.setAttention(intentId, reason, isSettled);
      // What operations are woken by, beside the metric.
      log.warn({ intent_id: intentId, reason }, 'payment needs attention');
    },

    debitHoldingAccount: (
      intentId: IntentId,
      amountUsdCents: UsdCents,
      corridor: Corridor,
    ): Promise<DebitOutcome> => funds.debit(intentId, amountUsdCents, corridor),
  };
}

/** @throws the failure RowMissing where there is none: not to be retried */
async function ofRow<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RowMissing ? rowMissing(error) : error;
  }
}

/** Why a confirm by operations may not authorize; undefined of every other transition. */
async function operatorConfirmRejection(
  { intents, isOperatorConfirmAllowed, isQrPayloadRequired }: PaymentDependencies,
  { intentId, event, token }: TransitionCommand,
): Promise<'not_allowed' | 'qr_payload_required' | undefined> {
  if (event !== 'authorize' || token !== undefined) return undefined;
  if (!isOperatorConfirmAllowed) return 'not_allowed';
  const intent = await intents.find(intentId);
  return intent !== undefined && isQrPayloadRequired[intent.corridor]
    ? 'qr_payload_required'
    : undefined;
}
