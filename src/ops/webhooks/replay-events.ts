// Makes webhook events pending again (decision 19): one event, or all that a partner did not get.
// The rows decide; Temporal only makes a worker send sooner.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventId } from '../../domain/ids';
import type { Database, Queryable } from '../../postgres/database';
import {
  lockEndpoint,
  REPLAY_FROM_THE_FIRST,
  replayBatch,
  replayEvent,
  type UnsentState,
  type ReplayCursor,
} from '../../postgres/webhooks/replay';
import { changeDirectory } from '../partners/directory-change';
import { disabledSentence, noEndpoint } from './endpoint-view';
import { requirePartner } from '../partners/known-partner';
import { addEvents, recordAction, type Operator } from '../audit-trail';
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
  return changeDirectory(database, async (connection) => {
    const { partner_id: partnerId } = await findWebhookEvent(connection, eventId);
    await requireEnabled(connection, partnerId);
    if (!(await replayEvent(connection, eventId))) {
      throw new Rejection(
        `${eventId} is being sent at this moment. Nothing was changed. See the outcome with "payctl webhooks list ${partnerId}".`,
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

export interface ReplaySelection {
  readonly partnerId: string;
  /** Events lost at or after this time, see `UnsentEvents`; undefined for all. */
  readonly since: Date | undefined;
}

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
  const { partnerId } = selection;
  await requirePartner(database, partnerId);
  let progress: Progress = { replayed: 0, underWay: 0, older: 0, actionId: undefined };
  for (const state of UNSENT) {
    for (let from: ReplayCursor | undefined = REPLAY_FROM_THE_FIRST; from !== undefined;) {
      const batch: Batch = { ...selection, state, from, progress, operator };
      progress = await changeDirectory(database, (connection) => replayOneBatch(connection, batch));
      from = progress.next;
      if (from !== undefined) onProgress(progress.replayed);
    }
  }
  const { replayed, underWay, older } = progress;
  return { partner_id: partnerId, replayed, under_way: underWay, older };
}

const UNSENT: readonly UnsentState[] = ['exhausted', 'skipped'];

interface Progress {
  readonly replayed: number;
  readonly underWay: number;
  readonly older: number;
  /** The row in the audit trail; undefined while nothing was replayed. */
  readonly actionId: number | undefined;
  /** Where the next batch begins; undefined after the last one. */
  readonly next?: ReplayCursor | undefined;
}

interface Batch extends ReplaySelection {
  readonly state: UnsentState;
  readonly from: ReplayCursor;
  readonly progress: Progress;
  readonly operator: Operator;
}

async function replayOneBatch(connection: Queryable, batch: Batch): Promise<Progress> {
  const { partnerId, progress, from } = batch;
  await requireEnabled(connection, partnerId, progress.replayed);
  const { replayed, underWay, older, next } = await replayBatch(connection, batch, from);
  return {
    replayed: progress.replayed + replayed,
    underWay: progress.underWay + underWay,
    older: progress.older + older,
    actionId: replayed === 0 ? progress.actionId : await recordBatch(connection, batch, replayed),
    next,
  };
}

async function recordBatch(
  connection: Queryable,
  { partnerId, since, progress, operator }: Batch,
  events: number,
): Promise<number | undefined> {
  const { actionId } = progress;
  if (actionId !== undefined) {
    await addEvents(connection, actionId, events);
    return actionId;
  }
  const details =
    since === undefined ? 'all that were not delivered' : `since ${since.toISOString()}`;
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
  const endpoint = await lockEndpoint(connection, partnerId);
  if (endpoint === undefined) throw noEndpoint(partnerId);
  const { disabled_at, disabled_reason } = endpoint;
  if (disabled_at === null) return;
  const done =
    replayed === 0 ? 'Nothing was changed.' : `${replayed} events were made pending before that.`;
  const why = disabledSentence(partnerId, disabled_at, disabled_reason);
  throw new Rejection(`${why} ${done} Enable it first: payctl webhooks set ${partnerId}.`);
}
