// POST /v1/payment_intents/{intent_id}/cancel (spec, "Endpoints"; decision 25). Rule R2, as for confirm.
import { toPaymentStart } from '../../src/domain/payment-start';
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import { DomainError } from '../../src/domain/errors';
import { ORCHESTRATION_WAIT_MAX_MS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { findOwned } from './find-owned';
import { toWire } from './view';

export function cancelIntent(dependencies: ApiDependencies, credentials: Credentials) {
  const { intents, runner } = dependencies;
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const { caller, intent } = await findOwned({ intents, credentials }, ctx, pathId);
    ctx.state.about = { ...ctx.state.about, intent_id: intent.intentId };
    if (isOpen(intent)) {
      const deadline = AbortSignal.timeout(ORCHESTRATION_WAIT_MAX_MS);
      await runner.cancel(toPaymentStart(intent), caller.nonce, deadline);
    }
    const { answer, intent: today } = await intents.answerCancel(
      intent.intentId,
      ctx.state.requestId,
    );
    if (answer === 'conflict') throw new DomainError('conflict');
    if (answer === 'undecided')
      throw new DomainError('unavailable', { reason: 'cancel_undecided' });
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(today);
  };
}

function isOpen({ status }: PaymentIntent): boolean {
  return status === 'created' || status === 'authorized';
}
