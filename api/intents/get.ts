// GET /v1/payment_intents/{intent_id}, which reads only Postgres (protocol 5.4; decisions 7, 10,
// 33).
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import { DomainError } from '../../src/domain/errors';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { findOwned } from './find-owned';
import { toWire } from './view';

export function getIntent({ intents }: ApiDependencies, credentials: Credentials) {
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const intent = credentials.bringsToken(ctx)
      ? await findByToken(ctx, pathId)
      : (await findOwned({ intents, credentials }, ctx, pathId)).intent;
    ctx.state.about = { ...ctx.state.about, intent_id: intent.intentId };
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(intent);
  };

  /** "A session token bound to one intent cannot fetch another intent." */
  async function findByToken(ctx: ApiContext, pathId: string): Promise<PaymentIntent> {
    const { intent, boundTo } = await credentials.requireToken(ctx, 'read');
    if (intent === undefined) throw new DomainError('not_found');
    if (boundTo !== pathId) throw new DomainError('authorization_failed');
    return intent;
  }
}
