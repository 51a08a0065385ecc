// Decisions of operators as tests take them: the functions of the database, without `payctl`.
import type { AttentionKind } from '../../src/domain/intents/attention';
import { decide } from '../../src/postgres/approvals/decide';
import type { Queryable } from '../../src/postgres/database';

interface Acknowledgement {
  readonly intentId: string;
  readonly kinds: readonly AttentionKind[];
  readonly actor: string;
  readonly reason: string;
}

export async function acknowledgeAttention(
  database: Queryable,
  { intentId, kinds, actor, reason }: Acknowledgement,
): Promise<boolean> {
  const given = { intent_id: intentId, kinds, reason };
  return (await decide(database, { verb: 'intents acknowledge', given, actor })) !== null;
}

/** Operators have compared, and a workflow may start again. */
export async function endWorkflowGone(database: Queryable, intentId: string): Promise<void> {
  await decide(database, { verb: 'intents resume', given: { intent_id: intentId } });
}

interface Proposal {
  readonly intentId: string;
  readonly reference: string;
  readonly actor: string;
}

export async function proposeReference(
  database: Queryable,
  { intentId, reference, actor }: Proposal,
): Promise<boolean> {
  const given = { intent_id: intentId, reference };
  return (await decide(database, { verb: 'intents reference', given, actor })) !== null;
}

type DoorVerb = 'corridors close' | 'corridors open' | 'partners suspend' | 'partners resume';

/** @param of a corridor or a partner. @returns whether it was changed */
export async function moveDoor(database: Queryable, verb: DoorVerb, of: string): Promise<boolean> {
  const given = { of, reason: 'a drill' };
  return (await decide(database, { verb, given, actor: 'ann' })) !== null;
}
