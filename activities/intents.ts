// Status writes, as local activities of the workflow: compare and set along the table (architecture, section 3, rule
// R1).
import type { Corridor } from '../src/domain/corridor';
import { RowMissing } from '../src/domain/errors';
import type { IntentId } from '../src/domain/ids';
import type { FundsAccount } from '../src/ports/funds-account';
import type { IntentStore } from '../src/ports/intent-store';
import type { Log } from '../src/ports/log';
import type { IntentStanding, TransitionCommand, TransitionReport } from '../src/domain/transition';
import { rowMissing } from './failures';

export interface IntentActivities {
  recordTransition(command: TransitionCommand): Promise<TransitionReport>;
  /** Where the row stands, for a run that was told that it no longer may do what it believed (rule R1). */
  readStanding(intentId: IntentId): Promise<IntentStanding>;
  /** @param isSettled whether the intent has ended already: what contradicts its end is for people too */
  setAttention(intentId: IntentId, reason: string, isSettled?: boolean): Promise<void>;
}

export interface IntentDependencies {
  readonly intents: IntentStore;
  readonly funds: Pick<FundsAccount, 'joinsAuthorize'>;
  readonly log: Log;
  /** Whether operations may confirm without a token: off in prod unless configured (architecture, section 3). */
  readonly isOperatorConfirmAllowed: boolean;
  /** A confirm by operations carries no scanned code, so it authorizes nothing where one is required (decision 20). */
  readonly isQrPayloadRequired: Readonly<Record<Corridor, boolean>>;
}

export function createIntentActivities(dependencies: IntentDependencies): IntentActivities {
  const { intents, funds, log } = dependencies;
  return {
    async recordTransition(command) {
      const refusal = await operatorConfirmRefusal(dependencies, command);
      if (refusal === undefined) {
        return ofRow(() => intents.transition(withDebit(command, funds)));
      }
      const { intentId, actor } = command;
      log.warn({ intent_id: intentId, actor, reason: refusal }, 'operator confirm refused');
      const standing = await ofRow(() => intents.standing(intentId));
      return { ...standing, outcome: 'token_refused', dueInMs: 0 };
    },
    readStanding: (intentId) => ofRow(() => intents.standing(intentId)),
    async setAttention(intentId, reason, isSettled = false) {
      await intents.setAttention(intentId, reason, isSettled);
      // What operations are woken by, beside the metric.
      log.warn({ intent_id: intentId, reason }, 'payment needs attention');
    },
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

/** The debit goes with the authorize where the account allows it, and is asked for by itself where it does not. */
function withDebit(
  command: TransitionCommand,
  funds: IntentDependencies['funds'],
): TransitionCommand {
  const { debitUsdCents, ...plain } = command;
  return debitUsdCents !== undefined && funds.joinsAuthorize(debitUsdCents) ? command : plain;
}

/** Why a confirm by operations may not authorize; undefined of every other transition. */
async function operatorConfirmRefusal(
  { intents, isOperatorConfirmAllowed, isQrPayloadRequired }: IntentDependencies,
  { intentId, event, token }: TransitionCommand,
): Promise<'not_allowed' | 'qr_payload_required' | undefined> {
  if (event !== 'authorize' || token !== undefined) return undefined;
  if (!isOperatorConfirmAllowed) return 'not_allowed';
  const intent = await intents.find(intentId);
  return intent !== undefined && isQrPayloadRequired[intent.corridor]
    ? 'qr_payload_required'
    : undefined;
}
