// The audit trail of operators' changes to partners and their keys, and of prunes: who, what, when
// and why. Each row is written in the transaction of its change, that of a prune before it.
import { readRows, type Queryable } from '../postgres/database';

export interface Operator {
  readonly actor: string;
  readonly reason: string | null;
}

interface OperatorAction extends Operator {
  /** The command, such as `data prune`. */
  readonly action: string;
  /** What was done, in words. */
  readonly details: string;
}

/** Of work that the owner of the database does itself; decisions record their own. */
export async function recordAction(
  connection: Queryable,
  { actor, action, reason, details }: OperatorAction,
): Promise<void> {
  await connection.query({
    text: `insert into operator_actions (actor, action, reason, details)
           values (operator_name($1), $2, $3, $4)`,
    values: [actor, action, reason, details],
  });
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
