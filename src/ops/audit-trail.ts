// The audit trail of operators' changes to partners and their keys, and of prunes: who, what, when
// and why. Each row is written in the transaction of its change, that of a prune before it
// (migration 0005).
import { readOne, readRows, type Queryable } from '../postgres/database';

export interface Operator {
  readonly actor: string;
  readonly reason: string | null;
}

interface OperatorAction extends Operator {
  /** The command, such as `webhooks replay`. */
  readonly action: string;
  /** Undefined if it was about all partners. */
  readonly partnerId?: string;
  readonly eventId?: string;
  /** How many events it changed. */
  readonly events?: number;
  /** What was changed, in words; never a secret. */
  readonly details?: string;
}

/** @returns the id of the row */
export async function recordAction(
  connection: Queryable,
  { actor, action, partnerId, eventId, events, reason, details }: OperatorAction,
): Promise<number> {
  const { id } = await readOne<{ readonly id: number }>(connection, {
    text: `insert into operator_actions (actor, action, partner_id, event_id, events, reason, details)
           values (operator_name($1), $2, $3, $4, $5, $6, $7)
           returning action_id as id`,
    values: [actor, action, partnerId, eventId, events, reason, details],
  });
  return id;
}

/** Counts one more batch of a command: an interrupted command leaves the right count behind. */
export async function addEvents(
  connection: Queryable,
  actionId: number,
  events: number,
): Promise<void> {
  await connection.query({
    text: `update operator_actions set events = events + $2 where action_id = $1`,
    values: [actionId, events],
  });
}

/** The JSON shape that programs rely on. */
export interface ListedAction {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly event_id: string | null;
  readonly events: number | null;
  readonly reason: string | null;
  readonly details: string | null;
}

/** Newest first. */
export function listActions(
  database: Queryable,
  partnerId: string,
  limit: number,
): Promise<readonly ListedAction[]> {
  return readRows(database, {
    text: `select at, actor, action, event_id, events, reason, details
             from operator_actions
            where partner_id = $1
            order by action_id desc
            limit $2`,
    values: [partnerId, limit],
  });
}
