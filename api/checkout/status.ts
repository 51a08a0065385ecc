// GET /flow/<intent_id>/status (decision 29): after confirm the token is spent, so GET no longer takes it. This tells the
// bearer of the token that confirmed the intent its status, until the token's `exp`, and nothing else.
import type { ApiContext } from '../context';
import type { Credentials } from '../auth/credentials';
import { refuseToken } from '../auth/refusals';
import { DomainError } from '../../src/domain/errors';

export function getStatus(credentials: Credentials) {
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const { intent, boundTo, use } = await credentials.requireToken(ctx, 'status');
    if (boundTo !== pathId) throw refuseToken('bound_to_another_intent', use);
    if (intent === undefined) throw new DomainError('not_found');
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = JSON.stringify({ status: intent.status });
  };
}
