// Operators' work on webhook endpoints under load (decisions 18 and 19): rotating secrets,
// disabling and enabling endpoints, replaying events. Calls the functions behind `payctl webhooks`.
import type { Client } from '@temporalio/client';
import type { SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import { parseEventId } from '../../../src/domain/ids';
import { disableWebhook } from '../../../src/ops/webhooks/disable';
import { rotateWebhookSecret } from '../../../src/ops/webhooks/rotate';
import { setWebhook } from '../../../src/ops/webhooks/set';
import { Rejection } from '../../../src/ops/rejection';
import { replayMany, replayOne } from '../../../src/ops/webhooks/replay-events';
import type { Database } from '../../../src/postgres/database';
import { createSecretSeal } from '../../../src/signing/sealed-secret';
import { callWithin } from '../../../src/temporal/connection';
import { startDelivery } from '../../../src/temporal/starts';

export type EndpointOperator = ReturnType<typeof createEndpointOperator>;

interface Tools {
  readonly database: Database;
  readonly client: Client;
  readonly partners: readonly SandboxPartner[];
  /** Base64, as in the settings of the processes. */
  readonly keyEncryptionKey: string;
}

const OVERLAP_HOURS = 1;
const START_WITHIN_MS = 5_000;
const OPERATOR = { actor: 'operator-of-webhooks', reason: 'chaos' };

export function createEndpointOperator(tools: Tools) {
  const { database, partners } = tools;
  const seal = createSecretSeal(Buffer.from(tools.keyEncryptionKey, 'base64'), []);
  const issued = new Map(
    partners.map(({ partner_id, webhook_secret }) => [partner_id, [webhook_secret]]),
  );
  const secretsOf = (partnerId: string) => issued.get(partnerId) ?? [];
  return {
    /** All webhook secrets that the partner has received, newest first. */
    secretsOf,
    async rotate(partnerId: string) {
      const rotation = { partnerId, overlapHours: OVERLAP_HOURS, yes: true };
      const rotated = await rotateWebhookSecret({ database, seal }, rotation, OPERATOR);
      issued.set(partnerId, [rotated.webhook_secret ?? '', ...secretsOf(partnerId)]);
    },
    disable: (partnerId: string) => disableWebhook(database, partnerId, OPERATOR),
    /** Idempotent. */
    enable: (partnerId: string) => setWebhook({ database, seal }, { partnerId }, OPERATOR),
    /** Replays events that were skipped or exhausted. Returns their number. */
    async replayUnsent() {
      const counts = [...issued.keys()].map((partnerId) => replayUnsentOf(database, partnerId));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    /**
     * Replays pending events whose next attempt is further away than this. Returns their number.
     */
    replayPending: (dueAfterSeconds: number) => replayPending(tools, dueAfterSeconds),
  };
}

/** Returns 0 for a disabled endpoint, because `payctl` rejects the replay. */
async function replayUnsentOf(database: Database, partnerId: string): Promise<number> {
  const tools = { database, onProgress: () => undefined };
  try {
    const done = await replayMany(tools, { partnerId, since: undefined }, OPERATOR);
    return done.replayed;
  } catch (error) {
    if (error instanceof Rejection) return 0;
    throw error;
  }
}

async function replayPending(
  { database, client }: Tools,
  dueAfterSeconds: number,
): Promise<number> {
  const { rows } = await database.query<{
    event_id: string;
    intent_id: string;
    partner_id: string;
  }>({
    text: `select event_id, intent_id, partner_id from webhook_events
            where state = 'pending' and attempts > 0
              and due_at > service_now() + make_interval(secs => $1)`,
    values: [dueAfterSeconds],
  });
  let replayed = 0;
  for (const { event_id: text, intent_id: intentId, partner_id: partnerId } of rows) {
    const eventId = parseEventId(text);
    if (eventId === undefined) continue;
    try {
      await replayOne(database, eventId, OPERATOR);
    } catch (error) {
      // A worker is sending it now, or its endpoint is disabled.
      if (error instanceof Rejection) continue;
      throw error;
    }
    replayed += 1;
    // Without Temporal the event stays pending, and the webhook poller delivers it.
    const event = { eventId, intentId, partnerId };
    const start = () => startDelivery(client, event, { isReplay: true });
    await callWithin(client, start, START_WITHIN_MS).catch(() => undefined);
  }
  return replayed;
}
