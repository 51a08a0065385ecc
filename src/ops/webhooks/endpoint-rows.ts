// Writes the row of a partner's webhook endpoint (decision 17), for `webhooks set` and for
// partners.
import {
  WEBHOOK_EVENT_TYPES_BY_DEFAULT,
  webhookSecretOwner,
  type WebhookEventType,
} from '../../domain/webhooks/event';
import type { Queryable } from '../../postgres/database';
import type { SecretSeal } from '../../signing/sealed-secret';
import { noEndpoint } from './endpoint-view';
import { makeWebhookSecret } from '../keys/secrets';

interface Endpoint {
  readonly partnerId: string;
  /** Undefined keeps the current URL. */
  readonly url?: string | undefined;
  /** Undefined keeps the current types; a new endpoint begins with the default ones. */
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  readonly seal: SecretSeal;
}

/**
 * An existing endpoint keeps its secrets. It is enabled, and its count of failures starts again.
 * @returns the secret of a new endpoint, otherwise null
 * @throws Rejection if there is no endpoint and no URL was given
 */
export async function setEndpoint(
  connection: Queryable,
  { partnerId, url, eventTypes, seal }: Endpoint,
): Promise<string | null> {
  const { rows } = await connection.query({
    text: `update webhook_endpoints
              set url = coalesce($2, url), event_types = coalesce($3, event_types),
                  disabled_at = null, disabled_reason = null, failing_since = null,
                  gone_in_a_row = 0, gone_since = null
            where partner_id = $1
           returning partner_id`,
    values: [partnerId, url ?? null, eventTypes ?? null],
  });
  if (rows.length > 0) return null;
  if (url === undefined) throw noEndpoint(partnerId);
  const secret = makeWebhookSecret();
  await connection.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types)
           values ($1, $2, $3, $4)`,
    values: [
      partnerId,
      url,
      seal.seal(secret, webhookSecretOwner(partnerId)),
      eventTypes ?? WEBHOOK_EVENT_TYPES_BY_DEFAULT,
    ],
  });
  return secret;
}
