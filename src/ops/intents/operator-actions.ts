// `payctl intents resolve | confirm | resume | acknowledge`: what only people can decide is asked of the payment's run, and what came
// of it is read from the row (architecture, section 3, rule R2; docs/operations.md).
import { setTimeout as pause } from 'node:timers/promises';
import { WORKFLOW_HAS_COMPLETED } from '../../domain/intents/completed-workflow';
import { parseCorridor, type Corridor } from '../../domain/corridor';
import { resolvedReason } from '../../domain/intents/manual-resolution';
import { isSettled, parseIntentStatus } from '../../domain/intents/transitions';
import type { PaymentStart } from '../../domain/intents/payment-start';
import {
  acknowledgeAttention,
  endCompletedWorkflowAttention,
} from '../../postgres/intents/acknowledge';
import type { Database } from '../../postgres/database';
import { callUntil } from '../../temporal/connection';
import {
  confirmPayment,
  hasCompleted,
  resumePayment as requestResume,
} from '../../temporal/payment-start';
import {
  requestResolution,
  type Resolution,
  type ResolutionAnswer,
} from '../../temporal/operator-updates';
import { findIntentStory, paymentOf, type IntentStory } from './story';
import { Rejection } from '../rejection';
import { systemTime } from '../system-time';
import { noAnswer, type TemporalTools } from '../temporal';

export interface ActionTools extends TemporalTools {
  readonly database: Database;
}

const READ_AGAIN_AFTER_MS = 100;

/** The intent once it has ended as declared. @throws Rejection when it has not, with what is known. */
export async function resolvePayout(
  tools: ActionTools,
  intentId: string,
  resolution: Resolution,
): Promise<IntentStory> {
  const story = await findIntentStory(tools.database, intentId);
  requireOpen(story, 'authorized');
  if (story.attention_reason === null && !(isHeld(story) && resolution.outcome === 'declined')) {
    throw new Rejection(
      `${intentId} does not need operations yet: ${story.waiting_for} Nothing was changed.`,
    );
  }
  rejectParked(story, 'Only --after-restore of resume begins one, where that page says so.');
  const answer = await requestWorkflow(tools, paymentOf(story), resolution);
  const after = await findIntentStory(tools.database, intentId);
  if (isEndedBy(after, resolution)) return after;
  throw notResolved(after, answer);
}

export interface ConfirmTools extends ActionTools {
  readonly isQrPayloadRequired: Readonly<Record<Corridor, boolean>>;
}

/** The intent once it is confirmed. @throws Rejection */
export async function confirmByOperator(
  tools: ConfirmTools,
  intentId: string,
  operator: { readonly actor: string; readonly reason: string },
): Promise<IntentStory> {
  const story = await findIntentStory(tools.database, intentId);
  requireOpen(story, 'created');
  if (tools.isQrPayloadRequired[parseCorridor(story.corridor)]) {
    throw new Rejection(
      `A payment to ${story.corridor} needs the scanned code, which names its payee, and a confirm by operations carries none (QR_PAYLOAD_REQUIRED_${story.corridor.toUpperCase()}). Only the payer can confirm ${intentId}. Nothing was changed.`,
    );
  }
  const payment = paymentOf(story);
  const whenSilent = `${intentId} may be confirmed when it is back.`;
  await request(tools, (client) => confirmPayment(client, payment, operator), whenSilent);
  return untilConfirmed(tools, story, operator.actor);
}

/**
 * Has the run look at its row and go on.
 * @param isAfterRestore whether people have compared, so that a run is begun although one had completed
 * @throws Rejection when Temporal cannot be asked
 */
export async function resumePayment(
  tools: ActionTools,
  intentId: string,
  isAfterRestore = false,
): Promise<IntentStory> {
  const story = await findIntentStory(tools.database, intentId);
  if (isSettled(parseIntentStatus(story.status))) {
    throw new Rejection(`${intentId} is ${story.status}: there is nothing to go on with.`);
  }
  if (!isAfterRestore) rejectParked(story, 'Once you have compared, --after-restore begins one.');
  const payment = paymentOf(story);
  await request(tools, (client) => requestResume(client, payment), 'Nothing was changed.');
  await endCompletedWorkflowAttention(tools.database, payment.intentId);
  return findIntentStory(tools.database, intentId);
}

/** Ends the attention of a payment that is over. @throws Rejection when there is none, or the payment is open. */
export async function acknowledgeIntent(
  database: Database,
  intentId: string,
  operator: { readonly actor: string; readonly reason: string },
): Promise<IntentStory> {
  const story = await findIntentStory(database, intentId);
  const acknowledgement = { intentId: paymentOf(story).intentId, ...operator };
  if (await acknowledgeAttention(database, acknowledgement))
    return findIntentStory(database, intentId);
  const why =
    story.attention_reason === null
      ? 'does not need attention'
      : `is ${story.status}: its attention ends when it moves on`;
  throw new Rejection(`${intentId} ${why}. Nothing was changed.`);
}

function requireOpen(story: IntentStory, status: 'created' | 'authorized'): void {
  if (story.status === status) return;
  throw new Rejection(
    `${standingOf(story)}. Only a payment that is ${status} can be decided so; nothing was changed.`,
  );
}

/** Its payout was not begun, since all are stopped: its run waits, and takes a declaration meanwhile. */
function isHeld({ are_payouts_stopped: areStopped, payout }: IntentStory): boolean {
  return areStopped && payout === null;
}

/** The status, and who brought the payment there, and when. */
function standingOf(story: IntentStory): string {
  const last = story.transitions.at(-1);
  const by = last === undefined ? '' : `, by ${last.actor} at ${last.at.toISOString()}`;
  return `${story.intent_id} is ${story.status}${by}`;
}

type Asked = ResolutionAnswer | { readonly outcome: 'no_answer'; readonly why: string };

async function requestWorkflow(
  { client, deadline }: ActionTools,
  payment: PaymentStart,
  resolution: Resolution,
): Promise<Asked> {
  try {
    return await requestResolution(client, { payment, resolution, now: systemTime() }, deadline);
  } catch (error) {
    return { outcome: 'no_answer', why: `${noAnswer(error)}.` };
  }
}

/** The audit trail says whose declaration ended it: whatever Temporal answered, the row decides. */
function isEndedBy(
  { transitions }: IntentStory,
  { outcome, actor, evidence }: Resolution,
): boolean {
  const end = outcome === 'paid' ? 'captured' : 'failed';
  return transitions.some(
    ({ to, actor: who, reason }) =>
      to === end && who === actor && reason === resolvedReason(evidence),
  );
}

function notResolved(story: IntentStory, asked: Asked): Rejection {
  const standing = `${story.intent_id} is ${story.status}.`;
  switch (asked.outcome) {
    case 'judged':
      // Accepted, and then an attempt of the payout was faster: what was declared is in no row.
      return new Rejection(
        asked.reply.rejection === null
          ? `The declaration was accepted, but not written: ${standingOf(story)}.`
          : `${asked.reply.rejection} ${standing} Nothing was changed.`,
      );
    case 'not_waiting':
      return new Rejection(
        `The payment does not wait for operations at the moment. ${standing} ${story.waiting_for}`,
      );
    case 'no_answer':
      return new Rejection(
        `${asked.why} ${standing} Look with "payctl intents show ${story.intent_id}"; to repeat this command is safe, since the first decision counts.`,
      );
  }
}

/** Temporal forgets a completed run after its retention, and another would pay what the partner was told had failed. */
function rejectParked({ attention_reason: reason }: IntentStory, next: string): void {
  if (reason?.startsWith(WORKFLOW_HAS_COMPLETED) !== true) return;
  throw new Rejection(
    `The run of this payment had completed, and its row is open: a database was restored. Another run may pay it. See docs/restore.md. ${next} Nothing was changed.`,
  );
}

const WORKFLOW_COMPLETED =
  'The run of this payment has completed, and its row is open: a database was restored. No other can begin while that run is there. See docs/restore.md. Nothing was changed.';

/** @param whenSilent what is said beside it that Temporal gave no answer */
async function request(
  { client, deadline }: TemporalTools,
  send: (client: TemporalTools['client']) => Promise<void>,
  whenSilent: string,
): Promise<void> {
  await callUntil(client, deadline, () => send(client)).catch((error: unknown) => {
    throw new Rejection(
      hasCompleted(error) ? WORKFLOW_COMPLETED : `${noAnswer(error)}. ${whenSilent}`,
    );
  });
}

/** Until the row has left `created`. @throws Rejection when somebody else moved it, or the time is over */
async function untilConfirmed(
  { database, deadline }: ActionTools,
  before: IntentStory,
  operator: string,
): Promise<IntentStory> {
  for (;;) {
    const story = await findIntentStory(database, before.intent_id);
    const decision = story.transitions.find(({ from }) => from === 'created');
    if (decision?.to === 'authorized' && decision.actor === operator) return story;
    if (decision !== undefined) {
      throw new Rejection(
        `${story.intent_id} became ${decision.to}, by ${decision.actor} at ${decision.at.toISOString()}: this confirm came too late, and nothing was changed by it.`,
      );
    }
    if (deadline.aborted) {
      throw new Rejection(
        `${before.intent_id} is still created. No worker took the confirm, or workers refuse it (OPERATOR_CONFIRM, QR_PAYLOAD_REQUIRED_${before.corridor.toUpperCase()}; their log says which). Look with "payctl intents show ${before.intent_id}".`,
      );
    }
    await pause(READ_AGAIN_AFTER_MS);
  }
}
