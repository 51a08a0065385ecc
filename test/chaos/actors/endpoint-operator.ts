// What operations do to partners' webhook endpoints under load (decisions 18 and 19): secrets that rotate, endpoints that are
// disabled and enabled, events sent again. The functions behind `payctl webhooks`.
import type { Client } from '@temporalio/client';
import type { SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import { parseEventId } from '../../../src/domain/ids';
import {
  disableWebhook,
  rotateWebhookSecret,
  setWebhook,
} from '../../../src/ops/webhooks/endpoint';
import { Rejection } from '../../../src/ops/rejection';
import { replayMany, replayOne } from '../../../src/ops/webhooks/replay-events';
import type { Database } from '../../../src/postgres/database';
import { createSecretSeal } from '../../../src/signing/sealed-secret';
import { callWithin } from '../../../src/temporal/connection';
import { startDelivery } from '../../../src/temporal/webhook-start';

export type EndpointDesk = ReturnType<typeof createEndpointDesk>;

interface Tools {
  readonly database: Database;
  readonly client: Client;
  readonly partners: readonly SandboxPartner[];
  /** Base64, as the processes are given it. */
  readonly keyEncryptionKey: string;
}

const OVERLAP_HOURS = 1;
const START_WITHIN_MS = 5_000;
const OPERATOR = { actor: 'operator-of-webhooks', reason: 'chaos' };

export function createEndpointDesk(tools: Tools) {
  const { database, partners } = tools;
  const seal = createSecretSeal(Buffer.from(tools.keyEncryptionKey, 'base64'), []);
  const issued = new Map(
    partners.map(({ partner_id, webhook_secret }) => [partner_id, [webhook_secret]]),
  );
  const secretsOf = (partnerId: string) => issued.get(partnerId) ?? [];
  return {
    /** All that the partner was issued so far. */
    secretsOf,
    async rotate(partnerId: string) {
      const rotation = { partnerId, overlapHours: OVERLAP_HOURS };
      const rotated = await rotateWebhookSecret({ database, seal }, rotation, OPERATOR);
      issued.set(partnerId, [rotated.webhook_secret, ...secretsOf(partnerId)]);
    },
    disable: (partnerId: string) => disableWebhook(database, partnerId, OPERATOR),
    /** Idempotent. */
    enable: (partnerId: string) => setWebhook({ database, seal }, { partnerId }, OPERATOR),
    /** Sends what was missed while an endpoint was disabled. Answers how many events. */
    async replayMissed() {
      const counts = [...issued.keys()].map((partnerId) => replayMissedOf(database, partnerId));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    /** Sends the events that are owed, and not due before long, again. Answers how many. */
    replayOwed: (dueAfterSeconds: number) => replayOwed(tools, dueAfterSeconds),
  };
}

/** None while the endpoint is disabled: that is a rejection. */
async function replayMissedOf(database: Database, partnerId: string): Promise<number> {
  const tools = { database, onProgress: () => undefined };
  try {
    const done = await replayMany(tools, { partnerId, since: undefined }, OPERATOR);
    return done.replayed;
  } catch (error) {
    if (error instanceof Rejection) return 0;
    throw error;
  }
}

async function replayOwed({ database, client }: Tools, dueAfterSeconds: number): Promise<number> {
  const { rows } = await database.query<{
    event_id: string;
    intent_id: string;
    partner_id: string;
  }>({
    text: `select event_id, intent_id, partner_id from webhook_events
            where state = 'pending' and attempts > 0 and due_at > service_now() + make_interval(secs => $1)`,
    values: [dueAfterSeconds],
  });
  let replayed = 0;
  for (const { event_id: text, intent_id: intentId, partner_id: partnerId } of rows) {
    const eventId = parseEventId(text);
    if (eventId === null) continue;
    try {
      await replayOne(database, eventId, OPERATOR);
    } catch (error) {
      // Somebody sends it at this moment, or its endpoint is disabled.
      if (error instanceof Rejection) continue;
      throw error;
    }
    replayed += 1;
    // Where Temporal is away the event is owed all the same, and the sweep finds it.
    const event = { eventId, intentId, partnerId };
    const start = () => startDelivery(client, event, { isReplay: true });
    await callWithin(client, start, START_WITHIN_MS).catch(() => undefined);
  }
  return replayed;
}
