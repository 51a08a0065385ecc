// GET /v1/payment_intents/{intent_id}, which reads only Postgres (protocol 5.4; decisions 7, 10,
// 33).
import type { ApiContext, ApiDependencies, ApiIntents } from '../context';
import type { Credentials } from '../auth/credentials';
import { rejectNonce } from '../auth/rejections';
import { DomainError } from '../../src/domain/errors';
import { parseIntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { toWire } from './view';

export function getIntent({ intents }: ApiDependencies, credentials: Credentials) {
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const intent = credentials.bringsToken(ctx)
      ? await findByToken(credentials, ctx, pathId)
      : (await findOwned({ intents, credentials }, ctx, pathId)).intent;
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = toWire(intent);
  };
}

/** "A session token bound to one intent cannot fetch another intent." */
export async function findByToken(
  credentials: Credentials,
  ctx: ApiContext,
  pathId: string,
): Promise<PaymentIntent> {
  const { intent, boundTo } = await credentials.requireToken(ctx, 'read');
  if (intent === undefined) throw new DomainError('not_found');
  if (boundTo !== pathId) throw new DomainError('authorization_failed');
  return intent;
}

/**
 * The intent of a signed request. An unknown id is 404, another partner's intent 403 (protocol
 * 3.7). Signature and nonce are checked first; the read records the nonce (decision 33).
 * @throws DomainError first `authentication_failed`, then `not_found`, then `authorization_failed`
 */
export async function findOwned(
  { intents, credentials }: { readonly intents: ApiIntents; readonly credentials: Credentials },
  ctx: ApiContext,
  pathId: string,
) {
  const caller = await credentials.requireSignature(ctx);
  const intentId = parseIntentId(pathId);
  if (intentId === undefined) {
    await credentials.spendNonce(caller);
    throw new DomainError('not_found');
  }
  const { nonce, intent } = await intents.findSigned(caller, intentId);
  if (nonce !== 'claimed') throw rejectNonce(nonce, caller);
  if (intent === undefined) throw new DomainError('not_found');
  if (intent.partnerId !== caller.partnerId) throw new DomainError('authorization_failed');
  ctx.state.about = { ...ctx.state.about, intent_id: intentId };
  return { caller, intent };
}
