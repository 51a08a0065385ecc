// POST /v1/payment_intents/{intent_id}/cancel (protocol 5.7; decision 25). As for confirm, the
// answer comes from the rows, whatever Temporal reports (rule R2).
import { setTimeout as pause } from 'node:timers/promises';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import { DomainError } from '../../src/domain/errors';
import { ORCHESTRATION_WAIT_MAX_MS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { isSettled } from '../../src/domain/intents/transitions';
import type { CancelAnswer, RunnerAnswer } from '../../src/ports/intents';
import { retryOnce } from './ask-again';
import { findOwned } from './get';
import { toWire } from './view';

const READ_AGAIN_AFTER_MS = [10, 20, 40, 80, 160, 320];

export function cancelIntent(dependencies: ApiDependencies, credentials: Credentials) {
  const { intents } = dependencies;
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const { caller, intent } = await findOwned({ intents, credentials }, ctx, pathId);
    const reply = isSettled(intent.status)
      ? 'answered'
      : await requestWorkflow(dependencies, intent, caller.nonce);
    const answerOnce = async () => {
      const answer = await intents.answerCancel(intent.intentId, ctx.state.requestId);
      if (answer === undefined) throw new DomainError('not_found');
      return answer;
    };
    const answerFromRows = () => retryOnce(answerOnce);
    const { answer, intent: current } =
      reply === 'answered' ? await untilDecided(answerFromRows) : await answerFromRows();
    if (answer === 'conflict') throw new DomainError('conflict');
    if (answer === 'undecided')
      throw new DomainError('unavailable', { reason: 'cancel_undecided' });
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(current);
  };
}

function requestWorkflow(
  { runner, installation }: ApiDependencies,
  intent: PaymentIntent,
  nonce: string,
): Promise<RunnerAnswer> {
  const deadline = AbortSignal.timeout(ORCHESTRATION_WAIT_MAX_MS);
  return runner.cancel(toPaymentStart(intent, installation.id), nonce, deadline);
}

/**
 * Repeats while the rows are undecided: a workflow that rejects the cancel because its payout has
 * begun answers a moment before its rows show it.
 */
async function untilDecided(answerFromRows: () => Promise<CancelAnswer>): Promise<CancelAnswer> {
  for (const waitMs of READ_AGAIN_AFTER_MS) {
    const answer = await answerFromRows();
    if (answer.answer !== 'undecided') return answer;
    await pause(waitMs);
  }
  return answerFromRows();
}
