// Replays of webhook events by operators (decision 19): the events become pending again, their
// schedule restarts, and their attempts stay.
import type { EventId } from '../../domain/ids';
import { decide } from '../approvals/decide';
import type { Queryable } from '../database';

interface EventReplay {
  readonly partnerId: string;
  readonly eventId: EventId;
  readonly operator: Operator;
}

interface Operator {
  readonly actor: string;
  readonly reason: string | null;
}

/** False while the endpoint is disabled, or a worker sends the event. */
export async function replayEvent(
  connection: Queryable,
  { partnerId, eventId, operator: { actor, reason } }: EventReplay,
): Promise<boolean> {
  const given = { partner_id: partnerId, event_id: eventId, reason };
  return (await decide(connection, { verb: 'webhooks replay', given, actor })) !== null;
}

type UnsentState = 'skipped' | 'exhausted';

export interface UnsentEvents {
  readonly partnerId: string;
  readonly state: UnsentState;
  /**
   * Only events that became exhausted, or were skipped and created or last attempted, at or after
   * this time. Undefined is any time.
   */
  readonly since: Date | undefined;
}

/** The last event of a batch, in order of creation. */
export interface ReplayCursor {
  readonly createdAt: string;
  readonly eventId: string;
}

interface ReplayedBatch {
  readonly replayed: number;
  /** Events that were left because they became unsent before that time. */
  readonly older: number;
  /** Events that were left unchanged because a worker sends them. */
  readonly underWay: number;
  /** The row in the audit trail; null while nothing was replayed. */
  readonly actionId: number | null;
  /** Null when there are no more. */
  readonly next: ReplayCursor | null;
}

export const REPLAY_FROM_THE_FIRST: ReplayCursor = { createdAt: '-infinity', eventId: '' };
interface EarlierPages {
  readonly cursor: ReplayCursor;
  /** The row in the audit trail; null while nothing was replayed. */
  readonly actionId: number | null;
  readonly details: string;
  readonly operator: Operator;
}

/**
 * Replays a batch of events. The webhook poller sends them as fast as the endpoint accepts them.
 * @returns null while the endpoint is disabled
 */
export async function replayBatch(
  connection: Queryable,
  { partnerId, state, since }: UnsentEvents,
  { cursor, actionId, details, operator: { actor, reason } }: EarlierPages,
): Promise<ReplayedBatch | null> {
  const given = {
    ...{ partner_id: partnerId, state, since, reason, details, action_id: actionId },
    ...{ after_created_at: cursor.createdAt, after_event_id: cursor.eventId },
  };
  const done = await decide<ReplayedBatch>(connection, { verb: 'webhooks replay', given, actor });
  return done?.effect ?? null;
}
