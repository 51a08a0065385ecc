// Finds the intent of a signed request. An unknown id is 404, another partner's intent 403
// (protocol 3.7). Signature and nonce are checked first; the read records the nonce (decision 33).
import type { ApiContext, ApiIntents } from '../context';
import type { Credentials } from '../auth/credentials';
import { rejectNonce } from '../auth/rejections';
import { DomainError } from '../../src/domain/errors';
import { parseIntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { SignedCaller } from '../../src/ports/replay-guard';

export interface OwnedIntent {
  readonly caller: SignedCaller;
  readonly intent: PaymentIntent;
}

/**
 * @throws DomainError first `authentication_failed`, then `not_found`, then `authorization_failed`
 */
export async function findOwned(
  { intents, credentials }: { readonly intents: ApiIntents; readonly credentials: Credentials },
  ctx: ApiContext,
  pathId: string,
): Promise<OwnedIntent> {
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
  return { caller, intent };
}
