// The row of a partner's webhook endpoint, and the events that wait for it (decisions 17 to 19).
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
  /** Undefined leaves the one it has. */
  readonly url?: string | undefined;
  /** Undefined leaves those it has; a new one begins with the usual ones. */
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  readonly seal: SecretSeal;
}

/**
 * An endpoint that is there keeps its secrets and is enabled again, with a clean book. Answers the secret of a new one.
 * @throws Rejection when there is none and no address was given
 */
export async function setEndpoint(
  connection: Queryable,
  { partnerId, url, eventTypes, seal }: Endpoint,
): Promise<string | null> {
  const { rows } = await connection.query({
    text: `update webhook_endpoints
              set url = coalesce($2, url), event_types = coalesce($3, event_types),
                  disabled_at = null, disabled_reason = null, failing_since = null, gone_in_a_row = 0
            where partner_id = $1
           returning partner_id`,
    values: [partnerId, url ?? null, eventTypes ?? null],
  });
  if (rows.length > 0) return null;
  if (url === undefined) throw noEndpoint(partnerId);
  const secret = makeWebhookSecret();
  await connection.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types) values ($1, $2, $3, $4)`,
    values: [
      partnerId,
      url,
      seal.seal(secret, webhookSecretOwner(partnerId)),
      eventTypes ?? WEBHOOK_EVENT_TYPES_BY_DEFAULT,
    ],
  });
  return secret;
}

/** A statement that misses so many takes about 0.1 s; one for a hundred thousand would outlive its timeout. */
const EVENTS_PER_STATEMENT = 2_000;

/**
 * What is owed to an endpoint that is disabled now is missed, in the caller's transaction. An attempt that is under way
 * is recorded all the same, and one that is taken counts. Answers how many events were missed.
 */
export async function skipPendingEvents(connection: Queryable, partnerId: string): Promise<number> {
  let skipped = 0;
  for (;;) {
    const { rows } = await connection.query({
      text: `update webhook_events v
                set state = 'skipped', due_at = null, check_at = null
               from (select event_id from webhook_events
                      where partner_id = $1 and state = 'pending'
                      order by due_at limit $2
                        for update) as owed
              where v.event_id = owed.event_id
             returning v.event_id`,
      values: [partnerId, EVENTS_PER_STATEMENT],
    });
    skipped += rows.length;
    if (rows.length < EVENTS_PER_STATEMENT) return skipped;
  }
}
