// `payctl webhooks set | rotate | disable` (decisions 17 to 19): an endpoint changed in one transaction, with who, when and
// why. It is in force for every event that is taken to be sent after the command returned.
import {
  WEBHOOK_EVENT_TYPES,
  WEBHOOK_EVENT_TYPES_BY_DEFAULT,
  webhookSecretOwner,
  type WebhookEventType,
} from '../../domain/webhooks/event';
import type { Database, Queryable } from '../../postgres/database';
import type { SecretSeal } from '../../signing/sealed-secret';
import { changeDirectory } from '../partners/directory-change';
import { skipPendingEvents, setEndpoint } from './endpoint-rows';
import { extraEvents, findEndpoint, noEndpoint, type ShownEndpoint } from './endpoint-view';
import { toTheSecond } from '../layout';
import { requirePartner } from '../partners/known-partner';
import { recordAction, type Operator } from '../audit-trail';
import { checkAddress } from '../partners/options';
import { Rejection } from '../rejection';
import { makeWebhookSecret } from '../keys/secrets';

export interface EndpointTools {
  readonly database: Database;
  readonly seal: SecretSeal;
}

interface SetTools extends EndpointTools {
  /** PARTNER_NETWORKS, for partners of the sandbox. */
  readonly networks?: readonly string[] | undefined;
}

/** The events that are sent on request only. */
export type ExtraEvent = 'expired' | 'cancelled';

export interface EndpointOptions {
  readonly partnerId: string;
  /** Undefined leaves the one it has. */
  readonly url?: string | undefined;
  /** Undefined leaves those it asked for before. */
  readonly also?: readonly ExtraEvent[] | undefined;
}

export interface SetEndpoint extends ShownEndpoint {
  /** Of an endpoint that this call made; shown this once. */
  readonly webhook_secret: string | null;
}

/** Makes the endpoint or changes it, and enables it. @throws Rejection */
export function setWebhook(
  { database, seal, networks }: SetTools,
  { partnerId, url, also }: EndpointOptions,
  operator: Operator,
): Promise<SetEndpoint> {
  return changeDirectory(database, async (connection) => {
    const environment = await requirePartner(connection, partnerId);
    checkAddress('--url', url, { environment, networks });
    const eventTypes = also === undefined ? undefined : typesWith(also);
    const secret = await setEndpoint(connection, { partnerId, url, eventTypes, seal });
    const endpoint = await findEndpoint(connection, partnerId);
    await recordAction(connection, {
      ...operator,
      action: 'webhooks set',
      partnerId,
      details: describe(endpoint),
    });
    return { ...endpoint, webhook_secret: secret };
  });
}

function typesWith(also: readonly ExtraEvent[]): readonly WebhookEventType[] {
  const wished = [
    ...WEBHOOK_EVENT_TYPES_BY_DEFAULT,
    ...also.map((name) => `payment_intent.${name}`),
  ];
  return WEBHOOK_EVENT_TYPES.filter((type) => wished.includes(type));
}

function describe({ url, event_types }: ShownEndpoint): string {
  const also = extraEvents(event_types);
  return also.length === 0 ? url : `${url}, also ${also.join(' and ')}`;
}

export interface RotatedSecret {
  readonly partner_id: string;
  readonly webhook_secret: string;
  /** Until when the old secret signs beside the new one; null when it signs no more. */
  readonly previous_until: Date | null;
  /** Whether a secret older than both was still signing, and signs no more. */
  readonly is_oldest_dropped: boolean;
}

interface Rotation {
  readonly partnerId: string;
  readonly overlapHours: number;
}

/**
 * The old secret moves over with its seal. It keeps the associated data of the one that took its place: whoever can write
 * the one column can write the other and the end of the overlap too, so nothing is won by telling the two apart there.
 * @throws Rejection when the partner has no endpoint
 */
export function rotateWebhookSecret(
  { database, seal }: EndpointTools,
  rotation: Rotation,
  operator: Operator,
): Promise<RotatedSecret> {
  const { partnerId, overlapHours } = rotation;
  const secret = makeWebhookSecret();
  return changeDirectory(database, async (connection) => {
    await requirePartner(connection, partnerId);
    const before = await findEndpoint(connection, partnerId);
    const sealed = seal.seal(secret, webhookSecretOwner(partnerId));
    const previousUntil = await moveSecret(connection, rotation, sealed);
    const details = `overlap of ${String(overlapHours)} h`;
    await recordAction(connection, {
      ...operator,
      ...{ action: 'webhooks rotate', partnerId, details },
    });
    return {
      partner_id: partnerId,
      webhook_secret: secret,
      previous_until: previousUntil,
      is_oldest_dropped: before.previous_until !== null,
    };
  });
}

async function moveSecret(
  connection: Queryable,
  { partnerId, overlapHours }: Rotation,
  sealed: Buffer,
): Promise<Date | null> {
  const { rows } = await connection.query<{ readonly previous_until: Date | null }>({
    text: `update webhook_endpoints
              set previous_secret_sealed = case when $3::int > 0 then secret_sealed end,
                  previous_until = case when $3::int > 0 then service_now() + make_interval(hours => $3) end,
                  secret_sealed = $2
            where partner_id = $1
           returning previous_until`,
    values: [partnerId, sealed, overlapHours],
  });
  return rows[0]?.previous_until ?? null;
}

export interface DisabledEndpoint extends ShownEndpoint {
  /** How many events were owed to it until now. */
  readonly skipped_now: number;
}

/** @throws Rejection when the partner has no endpoint, or it is disabled already */
export function disableWebhook(
  database: Database,
  partnerId: string,
  operator: { readonly actor: string; readonly reason: string },
): Promise<DisabledEndpoint> {
  return changeDirectory(database, async (connection) => {
    await requirePartner(connection, partnerId);
    await disable(connection, partnerId, operator.reason);
    const skipped = await skipPendingEvents(connection, partnerId);
    await recordAction(connection, {
      ...operator,
      action: 'webhooks disable',
      partnerId,
      events: skipped,
    });
    return { ...(await findEndpoint(connection, partnerId)), skipped_now: skipped };
  });
}

async function disable(connection: Queryable, partnerId: string, reason: string): Promise<void> {
  const { rows } = await connection.query({
    text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = $2
            where partner_id = $1 and disabled_at is null
           returning partner_id`,
    values: [partnerId, reason],
  });
  if (rows.length > 0) return;
  const { disabled_at, disabled_reason } = await findEndpoint(connection, partnerId);
  if (disabled_at === null) throw noEndpoint(partnerId);
  throw new Rejection(
    `The endpoint of ${partnerId} is disabled since ${toTheSecond(disabled_at)}, because: ${disabled_reason ?? '-'}. Nothing was changed.`,
  );
}
