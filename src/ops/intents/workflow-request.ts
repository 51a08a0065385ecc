// Requests of operators to a payment's workflow. Each command reads their effect from the row, not
// from Temporal's answer (architecture, section 3, rule R2).
import type { IntentId } from '../../domain/ids';
import type { Database } from '../../postgres/database';
import { callUntil, describeWorkflow } from '../../temporal/connection';
import { hasCompleted, mayBeDeleted } from '../../temporal/payment-start';
import { paymentWorkflowId } from '../../../workflows/messages/messages';
import { Rejection } from '../rejection';
import type { Session } from '../session';
import { databaseTime } from '../system-time';
import { noAnswer, withTemporal, type TemporalTools } from '../temporal';
import { openAttention, paymentOf, type IntentStory } from './story';

export interface ActionTools extends TemporalTools {
  readonly database: Database;
}

export function withTools(
  work: (tools: ActionTools & Pick<Session, 'config'>) => Promise<IntentStory>,
  timeoutMs?: number,
): (session: Session) => Promise<IntentStory> {
  return (session) =>
    withTemporal(session, (temporal) => work({ ...session, ...temporal }), timeoutMs);
}

/**
 * @param unknownEffect printed if Temporal gives no answer: what may or may not have happened
 * @throws Rejection if the workflow has completed, or Temporal gives no answer
 */
export async function request(
  { client, deadline }: TemporalTools,
  send: (client: TemporalTools['client']) => Promise<void>,
  unknownEffect: string,
): Promise<void> {
  await callUntil(client, deadline, () => send(client)).catch((error: unknown) => {
    throw new Rejection(
      hasCompleted(error) ? WORKFLOW_COMPLETED : `${noAnswer(error)}. ${unknownEffect}`,
    );
  });
}

const WORKFLOW_COMPLETED =
  'The workflow of this payment has completed, but its row is open: a database was restored. No other workflow can start while the completed one exists. See docs/restore.md. Nothing was changed.';

/**
 * No other workflow can start while Temporal keeps the completed one.
 * @throws Rejection if it does, or gives no answer
 */
export async function rejectKept(
  { client, deadline }: TemporalTools,
  intentId: IntentId,
): Promise<void> {
  const describe = () => describeWorkflow(client, paymentWorkflowId(intentId));
  const workflow = await callUntil(client, deadline, describe).catch((error: unknown) => {
    throw new Rejection(`${noAnswer(error)}. Nothing was changed.`);
  });
  if (workflow?.status.name === 'COMPLETED') throw new Rejection(WORKFLOW_COMPLETED);
}

/**
 * A completed workflow disappears from Temporal after its retention. Another one could then pay a
 * payment that was reported as failed.
 * @throws Rejection if that may be so, or Temporal gives no answer
 */
export async function rejectCompleted(
  { client, deadline, database }: ActionTools,
  story: IntentStory,
  next = 'Only "payctl intents resume --after-restore" starts one, where that page says so.',
): Promise<void> {
  if (!openAttention(story).some(({ kind }) => kind === 'workflow_gone')) {
    const now = await databaseTime(database);
    const isGone = () => mayBeDeleted({ client, clock: { now: () => now } }, paymentOf(story));
    const rejected = (error: unknown) => {
      throw new Rejection(`${noAnswer(error)}. Nothing was changed.`);
    };
    if (!(await callUntil(client, deadline, isGone).catch(rejected))) return;
  }
  throw new Rejection(
    `The workflow of this payment had completed or is gone, but its row is open: a database was restored. Danger: another workflow may pay a payment that was reported as failed. See docs/restore.md. ${next} Nothing was changed.`,
  );
}

/** @throws Rejection unless the payment has this status and its workflow may be started */
export async function requireOpen(
  tools: ActionTools,
  story: IntentStory,
  status: 'created' | 'authorized',
): Promise<void> {
  if (story.status === status) return rejectCompleted(tools, story);
  throw new Rejection(
    `${currentStateOf(story)}. This command needs a payment that is ${status}. Nothing was changed.`,
  );
}

/** The status, and who moved the payment there, and when. */
export function currentStateOf(story: IntentStory): string {
  const last = story.transitions.at(-1);
  const by = last === undefined ? '' : `, by ${last.actor} at ${last.at.toISOString()}`;
  return `${story.intent_id} is ${story.status}${by}`;
}
