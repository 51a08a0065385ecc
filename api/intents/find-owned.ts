// Another partner's intent is 403 (protocol 3.7); an unknown id is 404. Both
// come behind the signature and its nonce, which is recorded with the read (decision 33).
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

/** @throws DomainError `authentication_failed`, `not_found` or `authorization_failed`, judged in this order */
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
