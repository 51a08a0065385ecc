// `payctl intents confirm`: an operator confirms a created intent for the payer, without a token.
import { setTimeout as pause } from 'node:timers/promises';
import { isQrPayloadRequired } from '../../config/corridors';
import { parseCorridor, type Corridor } from '../../corridors/names';
import { permit } from '../../postgres/approvals/decide';
import { confirmPayment } from '../../temporal/payment-start';
import {
  AS,
  reasonedOperatorOf,
  WORKFLOW_REASON_REQUIRED,
  type ReasonedOperator,
  type ReasonedOptions,
} from '../operator';
import { Rejection } from '../rejection';
import { verb } from '../verb';
import { findIntentStory, paymentOf, type IntentStory } from './story';
import { storyLines } from './story-lines';
import { request, requireOpen, withTools, type ActionTools } from './workflow-request';

export const confirm = verb('confirm <intent>', {
  does: 'Confirm a created intent for the payer, without a token. In prod this needs OPERATOR_CONFIRM=true on the workers. It is rejected where the corridor requires the scanned code, because this command carries none.',
  options: [WORKFLOW_REASON_REQUIRED, AS],
  work(intentId: string, options: ReasonedOptions) {
    const operator = reasonedOperatorOf(options);
    return withTools(({ config, ...tools }) => {
      const settings = { isQrPayloadRequired: isQrPayloadRequired(config) };
      return confirmByOperator({ ...tools, ...settings }, intentId, operator);
    });
  },
  lines: storyLines,
});

interface ConfirmTools extends ActionTools {
  readonly isQrPayloadRequired: Readonly<Record<Corridor, boolean>>;
}

/** @throws Rejection if the intent was not confirmed by this operator */
export async function confirmByOperator(
  tools: ConfirmTools,
  intentId: string,
  operator: ReasonedOperator,
): Promise<IntentStory> {
  const story = await findIntentStory(tools.database, intentId);
  await requireOpen(tools, story, 'created');
  if (tools.isQrPayloadRequired[parseCorridor(story.corridor)]) {
    throw new Rejection(
      `A payment to ${story.corridor} needs the scanned code, which names its payee, and an operator's confirm carries none (QR_PAYLOAD_REQUIRED_${story.corridor.toUpperCase()}). Only the payer can confirm ${intentId}. Nothing was changed.`,
    );
  }
  const payment = paymentOf(story);
  const { reason } = operator;
  const given = { intent_id: payment.intentId, to: 'authorized', reason };
  const decision = { verb: 'intents confirm', given, actor: operator.actor };
  const actor = await permit(tools.database, decision);
  const unknownEffect = `${intentId} may still be confirmed once Temporal is back.`;
  await request(
    tools,
    (client) => confirmPayment(client, payment, { actor, reason }),
    unknownEffect,
  );
  return untilConfirmed(tools, story, actor);
}

const READ_AGAIN_AFTER_MS = 100;

/**
 * @throws Rejection if the intent left `created` by another decision, or not before the deadline
 */
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
        `${story.intent_id} became ${decision.to}, by ${decision.actor} at ${decision.at.toISOString()}: this confirm came too late. Nothing was changed.`,
      );
    }
    if (deadline.aborted) {
      throw new Rejection(
        `${before.intent_id} is still created. No worker has processed the confirm, or the workers reject it (OPERATOR_CONFIRM, QR_PAYLOAD_REQUIRED_${before.corridor.toUpperCase()}; their log says which), or its amount is above AMOUNT_MAX_${before.corridor.toUpperCase()}_USD_CENTS of the workers, or the partner's limit of the day is reached ("payctl partners show ${before.partner_id}"). Check with "payctl intents show ${before.intent_id}".`,
      );
    }
    await pause(READ_AGAIN_AFTER_MS);
  }
}
