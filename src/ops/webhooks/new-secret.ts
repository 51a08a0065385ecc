// The secret of a webhook endpoint that a decision may make (decision 17), for `webhooks set` and
// for partners. An existing endpoint keeps its own.
import { webhookSecretOwner } from '../../domain/webhooks/event';
import { readEndpoints } from '../../postgres/webhooks/endpoints';
import type { Queryable } from '../../postgres/database';
import type { SecretSeal } from '../../signing/sealed-secret';
import { makeWebhookSecret } from '../keys/secrets';

interface NewSecret {
  /** Null if none is made. */
  readonly secret: string | null;
  readonly secrets?: { readonly webhook_secret: string };
  readonly sealed?: { readonly webhook: string };
}

/** @param url of the endpoint; without one, none is made */
export async function newWebhookSecret(
  connection: Queryable,
  seal: SecretSeal,
  partnerId: string,
  url: string | undefined,
): Promise<NewSecret> {
  const isMade = url !== undefined && (await readEndpoints(connection, partnerId)).length === 0;
  if (!isMade) return { secret: null };
  const secret = makeWebhookSecret();
  const sealed = seal.seal(secret, webhookSecretOwner(partnerId)).toString('hex');
  return { secret, secrets: { webhook_secret: secret }, sealed: { webhook: sealed } };
}
