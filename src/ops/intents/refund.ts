// `payctl intents refund` (decision 16): refunds a captured payment, in full and once.
import { randomUUID } from 'node:crypto';
import { formatUsd } from '../../domain/money';
import { permit } from '../../postgres/approvals/decide';
import { isRefundedBy } from '../../postgres/intents/refund-request';
import { requestRefund } from '../../temporal/starts';
import type { MessageReply } from '../../../workflows/messages/messages';
import type { Operator } from '../audit-trail';
import { AS, operatorOf, WORKFLOW_REASON, type OperatorOptions } from '../operator';
import { Rejection } from '../rejection';
import { noAnswer } from '../temporal';
import { verb } from '../verb';
import { findIntentStory, paymentOf, type IntentStory } from './story';
import { storyLines } from './story-lines';
import { withTools, type ActionTools } from './workflow-request';

export const refund = verb('refund <intent>', {
  does: 'Refund a captured payment, in full and once. It is refunded when the command returns; the webhook follows by itself.',
  options: [WORKFLOW_REASON, AS],
  work(intentId: string, options: OperatorOptions) {
    const order = { intentId, ...operatorOf(options) };
    return withTools((tools) => refundIntent(tools, order));
  },
  lines(story) {
    const { amount_usd_cents: cents, corridor, webhooks } = story;
    const isNotified = webhooks.some(
      ({ type, state }) => type === 'payment_intent.refunded' && state !== 'skipped',
    );
    return [
      ...storyLines(story),
      '',
      `${formatUsd(cents)} are back in the holding account; the provider of ${corridor} owes them.`,
      isNotified ? 'The partner is notified by webhook.' : 'The partner gets no webhook for it.',
    ];
  },
});

interface RefundOrder extends Operator {
  readonly intentId: string;
}

/**
 * Whether this call refunded the payment is read from the row, whatever Temporal answered
 * (architecture, section 3, rule R2).
 * @throws Rejection if this call did not refund it, with what the row says
 */
export async function refundIntent(
  { database, client, deadline }: ActionTools,
  { reason, ...order }: RefundOrder,
): Promise<IntentStory> {
  const story = await findIntentStory(database, order.intentId);
  rejectUnlessCaptured(story);
  const intent = paymentOf(story);
  const { intentId } = intent;
  const given = { intent_id: intentId, to: 'refunded', reason };
  const decision = { verb: 'intents refund', given, actor: order.actor };
  const actor = await permit(database, decision);
  const request = { intentId, requestId: randomUUID(), actor, reason, intent };
  const answer = await requestRefund(client, request, deadline).catch((error: unknown) => {
    return { failure: noAnswer(error) };
  });
  const isOurs = await isRefundedBy(database, intentId, request.requestId);
  const after = await findIntentStory(database, intentId);
  if (isOurs) return after;
  rejectUnlessCaptured(after);
  throw stillCaptured(after, answer);
}

function rejectUnlessCaptured(story: IntentStory): void {
  const { intent_id: id, pruned_at: prunedAt } = story;
  if (prunedAt !== null) {
    throw new Rejection(
      `The transfers of ${id} were deleted by "payctl data prune" at ${prunedAt.toISOString()}, so it cannot be refunded. Nothing was moved.`,
    );
  }
  if (story.status === 'captured') return;
  if (story.status !== 'refunded') {
    throw new Rejection(
      `Only a captured payment can be refunded, and ${story.intent_id} is ${story.status}. Nothing was moved.`,
    );
  }
  const { actor, at } = story.transitions.find(({ to }) => to === 'refunded') ?? {};
  throw new Rejection(
    `${story.intent_id} was refunded by ${actor ?? 'an unknown actor'} at ${at?.toISOString() ?? 'an unknown time'}. A payment is refunded only once: nothing was moved now.`,
  );
}

/** @param answer of the workflow, or why Temporal gave none */
function stillCaptured(
  { intent_id: id }: IntentStory,
  answer: MessageReply | { readonly failure: string },
): Rejection {
  if ('failure' in answer) {
    return new Rejection(
      `${answer.failure}, and ${id} is still captured. If the request reached Temporal, the refund follows once a worker runs: check with "payctl intents show ${id}". It is safe to repeat this command: a payment is refunded only once.`,
    );
  }
  return new Rejection(
    answer.status === 'refunded'
      ? `The workflow refund:${id} has refunded it, but its row is captured: a database was restored. Nothing was moved. See docs/restore.md, "Postgres went back to a time T".`
      : `${id} is still captured, because the ledger holds no capture of it. Nothing was moved. Run "payctl ledger check".`,
  );
}
