// "A partner acting on an intent it does not own is refused with 403" (spec, "Request signing"); an unknown id is 404.
import { DomainError } from '../../src/domain/errors';
import { parseIntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { IntentStore } from '../../src/ports/intent-store';
import type { SignedCaller } from '../../src/ports/replay-guard';

export async function findOwned(
  intents: IntentStore,
  pathId: string,
  caller: SignedCaller,
): Promise<PaymentIntent> {
  const intentId = parseIntentId(pathId);
  const intent = intentId && (await intents.find(intentId));
  if (intent === undefined) throw new DomainError('not_found');
  if (intent.partnerId !== caller.partnerId) throw new DomainError('authorization_failed');
  return intent;
}
