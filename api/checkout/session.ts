// GET /flow/<intent_id>/session: what the page shows before anything is confirmed, and where it may return to (decisions
// 28 and 116). The token is judged as by GET /v1/payment_intents/{intent_id}, and nothing is written.
import type { ApiContext, ApiDependencies } from '../context';
import type { Credentials } from '../auth/credentials';
import { refuseToken } from '../auth/refusals';
import { DomainError } from '../../src/domain/errors';

export function getSession({ clock }: ApiDependencies, credentials: Credentials) {
  return async (ctx: ApiContext, pathId: string): Promise<void> => {
    const { intent, boundTo, use, returnSchemes } = await credentials.requireToken(ctx, 'read');
    if (boundTo !== pathId) throw refuseToken('bound_to_another_intent', use);
    if (intent === undefined) throw new DomainError('not_found');
    const endsMs = Math.min(intent.expiresAt.getTime(), use.expiresAtMs);
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = JSON.stringify({
      status: intent.status,
      amount_usd_cents: intent.amountUsdCents,
      corridor: intent.corridor,
      // And not an instant: the payer's clock may be wrong.
      expires_in_seconds: Math.max(0, Math.floor((endsMs - clock.now().getTime()) / 1_000)),
      return_schemes: returnSchemes,
    });
  };
}
