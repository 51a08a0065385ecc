// `payctl webhooks replay` (decision 19): an event, or all that a partner did not get, made owed again. The rows decide;
// Temporal is only asked to hurry.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventId } from '../../domain/ids';
import type { Database, Queryable } from '../../postgres/database';
import {
  holdEndpoint,
  REPLAY_FROM_THE_FIRST,
  replayBatch,
  replayEvent,
  type LostState,
  type ReplayCursor,
} from '../../postgres/webhooks/replay';
import { changeDirectory } from '../partners/directory-change';
import { noEndpoint } from './endpoint-view';
import { requirePartner } from '../partners/known-partner';
import { toTheSecond } from '../layout';
import { addEvents, recordAction, type Operator } from '../audit-trail';
import { Rejection } from '../rejection';
import { findWebhookEvent, type ShownWebhookEvent } from './event';

/** The event, owed and due now. @throws Rejection while its endpoint is disabled, or somebody sends it */
export function replayOne(
  database: Database,
  eventId: EventId,
  operator: Operator,
): Promise<ShownWebhookEvent> {
  return changeDirectory(database, async (connection) => {
    const { partner_id: partnerId } = await findWebhookEvent(connection, eventId);
    await requireEnabled(connection, partnerId);
    if (!(await replayEvent(connection, eventId))) {
      throw new Rejection(
        `${eventId} is being sent at this moment. Nothing was changed: see how it went with "payctl webhooks list ${partnerId}".`,
      );
    }
    await recordAction(connection, {
      ...operator,
      action: 'webhooks replay',
      partnerId,
      eventId,
      events: 1,
    });
    return findWebhookEvent(connection, eventId);
  });
}

const READ_AGAIN_AFTER_MS = 200;

/** The event once an attempt more than before has ended, or as it stands when the time is over. */
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

export interface ReplaySelection {
  readonly partnerId: string;
  /** What was lost at or after it, as `LostEvents` has it; undefined is what was missed, at any time. */
  readonly since: Date | undefined;
}

export interface ReplayedMany {
  readonly partner_id: string;
  readonly replayed: number;
  /** Left as they are, since somebody sends them at this moment. */
  readonly under_way: number;
}

interface ReplayTools {
  readonly database: Database;
  /** Told after each batch but the last how many were made owed so far. */
  readonly onProgress: (replayed: number) => void;
}

/**
 * In batches, each a transaction with its part of the trace: it may be interrupted and repeated.
 * @throws Rejection when the partner is unknown, or its endpoint is disabled, be it on the way
 */
export async function replayMany(
  { database, onProgress }: ReplayTools,
  wish: ReplaySelection,
  operator: Operator,
): Promise<ReplayedMany> {
  const { partnerId, since } = wish;
  await requirePartner(database, partnerId);
  const states: readonly LostState[] = since === undefined ? ['skipped'] : ['exhausted', 'skipped'];
  let progress: Progress = { replayed: 0, underWay: 0, actionId: undefined };
  for (const state of states) {
    for (let from: ReplayCursor | undefined = REPLAY_FROM_THE_FIRST; from !== undefined;) {
      const batch: Batch = { ...wish, state, from, progress, operator };
      progress = await changeDirectory(database, (connection) => replaySome(connection, batch));
      from = progress.next;
      if (from !== undefined) onProgress(progress.replayed);
    }
  }
  return { partner_id: partnerId, replayed: progress.replayed, under_way: progress.underWay };
}

interface Progress {
  readonly replayed: number;
  readonly underWay: number;
  /** Of the trace; undefined while nothing was replayed. */
  readonly actionId: number | undefined;
  /** Where the next batch begins; undefined after the last. */
  readonly next?: ReplayCursor | undefined;
}

interface Batch extends ReplaySelection {
  readonly state: LostState;
  readonly from: ReplayCursor;
  readonly progress: Progress;
  readonly operator: Operator;
}

async function replaySome(connection: Queryable, batch: Batch): Promise<Progress> {
  const { partnerId, progress, from } = batch;
  await requireEnabled(connection, partnerId, progress.replayed);
  const { replayed, underWay, next } = await replayBatch(connection, batch, from);
  return {
    replayed: progress.replayed + replayed,
    underWay: progress.underWay + underWay,
    actionId: replayed === 0 ? progress.actionId : await trace(connection, batch, replayed),
    next,
  };
}

async function trace(
  connection: Queryable,
  { partnerId, since, progress, operator }: Batch,
  events: number,
): Promise<number | undefined> {
  const { actionId } = progress;
  if (actionId !== undefined) {
    await addEvents(connection, actionId, events);
    return actionId;
  }
  const details = since === undefined ? 'what was missed' : `since ${since.toISOString()}`;
  return recordAction(connection, {
    ...operator,
    action: 'webhooks replay',
    partnerId,
    events,
    details,
  });
}

async function requireEnabled(
  connection: Queryable,
  partnerId: string,
  replayed = 0,
): Promise<void> {
  const endpoint = await holdEndpoint(connection, partnerId);
  if (endpoint === undefined) throw noEndpoint(partnerId);
  const { disabled_at, disabled_reason } = endpoint;
  if (disabled_at === null) return;
  const done = replayed === 0 ? 'Nothing was changed' : `${replayed} events were made owed before`;
  throw new Rejection(
    `The endpoint of ${partnerId} is disabled since ${toTheSecond(disabled_at)}, because: ${disabled_reason ?? '-'}. ${done}. Enable it first: payctl webhooks set ${partnerId}.`,
  );
}
