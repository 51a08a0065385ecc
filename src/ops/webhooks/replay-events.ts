// Makes webhook events pending again (decision 19): one event, or all that a partner did not get.
// The rows decide; Temporal only makes a worker send sooner.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventId } from '../../domain/ids';
import type { Database, Queryable } from '../../postgres/database';
import {
  REPLAY_FROM_THE_FIRST,
  replayBatch,
  replayEvent,
  type ReplayCursor,
  type UnsentEvents,
} from '../../postgres/webhooks/replay';
import { repeatDeadlocked } from '../partners/directory-change';
import { disabledSentence, findEndpoint, noEndpoint } from './endpoint-view';
import { requirePartner } from '../partners/known-partner';
import type { Operator } from '../audit-trail';
import { Rejection } from '../rejection';
import { findWebhookEvent, type ShownWebhookEvent } from './event';

/**
 * Makes the event pending and due now.
 * @throws Rejection while its endpoint is disabled, or a worker is sending the event
 */
export function replayOne(
  database: Database,
  eventId: EventId,
  operator: Operator,
): Promise<ShownWebhookEvent> {
  return repeatDeadlocked(database, async (connection) => {
    const { partner_id: partnerId } = await findWebhookEvent(connection, eventId);
    if (!(await replayEvent(connection, { partnerId, eventId, operator }))) {
      await requireEnabled(connection, partnerId);
      throw new Rejection(
        `${eventId} is being sent at this moment. Nothing was changed. See the outcome with "payctl webhooks list ${partnerId}".`,
      );
    }
    return findWebhookEvent(connection, eventId);
  });
}

const READ_AGAIN_AFTER_MS = 200;

/** @returns the event after one more attempt has ended, or its current state at the deadline */
export async function untilAttempted(
  database: Queryable,
  before: ShownWebhookEvent,
  deadline: AbortSignal,
): Promise<ShownWebhookEvent> {
  for (;;) {
    const event = await findWebhookEvent(database, before.event_id);
    if (event.attempts.length > before.attempts.length || deadline.aborted) return event;
    await pause(READ_AGAIN_AFTER_MS);
  }
}

export type ReplaySelection = Omit<UnsentEvents, 'state'>;

export interface ReplayedMany {
  readonly partner_id: string;
  readonly replayed: number;
  /** Not changed, because workers are sending them at this moment. */
  readonly under_way: number;
  /** Not changed, because they were exhausted or skipped before `--since`. */
  readonly older: number;
}

interface ReplayTools {
  readonly database: Database;
  /** Called after each batch but the last, with how many events are pending again so far. */
  readonly onProgress: (replayed: number) => void;
}

/**
 * Works in batches. Each is a transaction with its part of the audit trail, so that the command can
 * be interrupted and repeated.
 * @throws Rejection if the partner is unknown, or its endpoint is or becomes disabled
 */
export async function replayMany(
  { database, onProgress }: ReplayTools,
  selection: ReplaySelection,
  operator: Operator,
): Promise<ReplayedMany> {
  const { partnerId, since } = selection;
  await requirePartner(database, partnerId);
  const details =
    since === undefined ? 'all that were not delivered' : `since ${since.toISOString()}`;
  let [replayed, underWay, older] = [0, 0, 0];
  /** The row in the audit trail; undefined while nothing was replayed. */
  let actionId: number | null = null;
  for (const state of ['exhausted', 'skipped'] as const) {
    for (let from: ReplayCursor | null = REPLAY_FROM_THE_FIRST; from !== null;) {
      const cursor: ReplayCursor = from;
      const before = { cursor, actionId, details, operator };
      const batch = await repeatDeadlocked(database, async (connection) => {
        const done = await replayBatch(connection, { ...selection, state }, before);
        if (done === null) await requireEnabled(connection, partnerId, replayed);
        return done;
      });
      if (batch === null) throw noEndpoint(partnerId);
      ({ actionId, next: from } = batch);
      replayed += batch.replayed;
      underWay += batch.underWay;
      older += batch.older;
      if (from !== null) onProgress(replayed);
    }
  }
  return { partner_id: partnerId, replayed, under_way: underWay, older };
}

async function requireEnabled(
  connection: Queryable,
  partnerId: string,
  replayed = 0,
): Promise<void> {
  const { disabled_at, disabled_reason } = await findEndpoint(connection, partnerId);
  if (disabled_at === null) return;
  const done =
    replayed === 0 ? 'Nothing was changed.' : `${replayed} events were made pending before that.`;
  const why = disabledSentence(partnerId, disabled_at, disabled_reason);
  throw new Rejection(`${why} ${done} Enable it first: payctl webhooks set ${partnerId}.`);
}
