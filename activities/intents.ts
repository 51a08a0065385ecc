// Local activities that write and read an intent's row, and that debit the holding account where
// the authorize statement did not.
import type { Corridor } from '../src/corridors/names';
import { RowMissing } from '../src/domain/errors';
import type { Attention } from '../src/domain/intents/attention';
import type { IntentId } from '../src/domain/ids';
import type { UsdCents } from '../src/domain/money';
import {
  FIRST_TASK_REPEATED,
  type PaymentTerms,
  type RowState,
  type TransitionCommand,
  type TransitionReport,
} from '../src/domain/intents/transition';
import type { DebitOutcome } from '../src/ports/funds-account';
import { accountsOf, type Accounts } from './accounts';
import type { PaymentDependencies } from './dependencies';
import { rowMissing } from './failures';

type IntentDependencies = Pick<
  PaymentDependencies,
  | ('intents' | 'funds' | 'log' | 'verifyNamespace' | 'maximumUsdCents')
  | ('isOperatorConfirmAllowed' | 'isQrPayloadRequired' | 'providers' | 'formerProviders')
>;

export function createIntentActivities(dependencies: IntentDependencies) {
  const { intents, funds, log, verifyNamespace } = dependencies;
  /** @throws the failure RowMissing, which is not retried, where our database has no row */
  const ofRow = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RowMissing)) throw error;
      await verifyNamespace();
      throw rowMissing(error);
    }
  };
  return {
    async recordTransition(command: TransitionCommand): Promise<TransitionReport> {
      const rejection = await operatorConfirmRejection(dependencies, command);
      if (rejection === undefined)
        return ofRow(() => intents.transition(bounded(command, dependencies)));
      const { intentId, actor } = command;
      log.warn({ intent_id: intentId, actor, reason: rejection }, 'operator confirm rejected');
      const { status, eventId } = await ofRow(() => intents.readCurrentState(intentId));
      return { status, eventId, outcome: 'not_allowed', dueInMs: 0 };
    },

    /** Reads the row for a workflow whose own step the row did not allow (rule R1). */
    readCurrentState: (intentId: IntentId, terms: PaymentTerms): Promise<RowState> =>
      ofRow(() => intents.readCurrentState(intentId, terms)),

    /**
     * @param isSettled true where the status is terminal: a contradiction of it needs attention too
     */
    async setAttention(intentId: IntentId, attention: Attention, isSettled = false): Promise<void> {
      await intents.setAttention(intentId, attention, isSettled);
      const { kind, sentence } = attention;
      log.warn({ intent_id: intentId, kind, reason: sentence }, 'payment needs attention');
    },

    debitHoldingAccount: (
      intentId: IntentId,
      amountUsdCents: UsdCents,
      corridor: Corridor,
    ): Promise<DebitOutcome> => funds.debit(intentId, amountUsdCents, corridor),
  };
}

/**
 * Debits in the authorize statement where the account allows that; else the workflow debits alone.
 */
function bounded(
  { debitUsdCents, terms, queryId, ...plain }: TransitionCommand,
  { funds, maximumUsdCents, ...accounts }: IntentDependencies,
): TransitionCommand {
  const joins = debitUsdCents !== undefined && funds.joinsAuthorize(debitUsdCents);
  const maximum = terms && maximumUsdCents[terms.corridor];
  const isIgnored = queryId === FIRST_TASK_REPEATED && terms && !sendsInTask(terms, accounts);
  return {
    ...{ ...plain, terms, maximumUsdCents: maximum },
    ...(joins && { debitUsdCents }),
    ...(!isIgnored && { queryId }),
  };
}

/** Orders in the payee's currency are sent by activities of their own, and not within a task. */
function sendsInTask({ corridor }: PaymentTerms, accounts: Accounts): boolean {
  return accountsOf(corridor, accounts).some(({ abilities }) => !abilities.needsLocal);
}

/**
 * Why an operator's confirm is rejected; undefined if it is not, and for every other transition.
 */
async function operatorConfirmRejection(
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
