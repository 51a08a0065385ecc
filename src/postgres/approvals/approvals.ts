// Approvals: asking for one, giving and refusing it.
import { readOne, readRows, type Queryable } from '../database';
import { asking, type Decision } from './decide';

/** The JSON shape that programs rely on. */
export interface Approval {
  readonly id: string;
  readonly verb: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly acts_on: Readonly<Record<string, unknown>>;
  readonly command: readonly string[];
  readonly state: 'waiting' | 'approved' | 'carried_out' | 'rejected' | 'expired';
  readonly asked_by: string;
  readonly asked_at: string;
  readonly expires_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly reason: string | null;
  readonly is_alone: boolean;
  readonly spent_at: string | null;
}

/** @throws Refused */
export function ask(
  connection: Queryable,
  decision: Decision,
  command: readonly string[],
): Promise<Approval> {
  const { verb, given, sealed } = decision;
  return changed(connection, 'ask($1, $2, $3, $4)', [
    verb,
    JSON.stringify(given),
    sealed,
    [...command],
  ]);
}

/** @param isAlone without a second person, in an emergency @throws Refused */
export function approve(
  connection: Queryable,
  id: string,
  { isAlone, reason }: { readonly isAlone: boolean; readonly reason: string | undefined },
): Promise<Approval> {
  return changed(connection, 'approve($1, $2, $3)', [id, isAlone, reason]);
}

/** @throws Refused */
export function reject(connection: Queryable, id: string, reason: string): Promise<Approval> {
  return changed(connection, 'reject($1, $2)', [id, reason]);
}

async function changed(
  connection: Queryable,
  call: string,
  values: readonly unknown[],
): Promise<Approval> {
  const { approval } = await asking({ verb: 'approvals', given: {} }, () =>
    readOne<{ readonly approval: Approval }>(connection, {
      text: `select ${call} as approval`,
      values: [...values],
    }),
  );
  return approval;
}

const LISTED_AT_MOST = 100;

/** Newest first; without `isAll` only those that may still be carried out. */
export async function listApprovals(
  connection: Queryable,
  { isAll, id = null }: { readonly isAll: boolean; readonly id?: string | null },
): Promise<readonly Approval[]> {
  const rows = await readRows<{ readonly approval: Approval }>(connection, {
    text: `select to_jsonb(s) as approval from shown_approvals s
            where ($1 or state in ('waiting', 'approved')) and ($2::uuid is null or id = $2)
            order by asked_at desc limit ${String(LISTED_AT_MOST)}`,
    values: [isAll, id],
  });
  return rows.map(({ approval }) => approval);
}
