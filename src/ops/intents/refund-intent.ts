// `payctl intents refund` (decision 16): asks the run that refunds, and tells what came of it by the row alone
// (architecture, section 3, rule R2).
import { randomUUID } from 'node:crypto';
import { isRefundedBy } from '../../postgres/intents/refund-request';
import { requestRefund } from '../../temporal/refund-start';
import { findIntentStory, paymentOf, type IntentStory } from './story';
import type { ActionTools } from './operator-actions';
import { Rejection } from '../rejection';
import { noAnswer } from '../temporal';

export interface RefundOrder {
  readonly intentId: string;
  readonly actor: string;
  readonly reason: string | null;
}

/**
 * The intent as it stands once this very call has refunded it.
 * @throws Rejection when it has not, with what the row says and never a guess
 */
export async function refundIntent(
  { database, client, deadline }: ActionTools,
  { actor, reason, ...order }: RefundOrder,
): Promise<IntentStory> {
  const story = await findIntentStory(database, order.intentId);
  rejectUnlessCaptured(story);
  const intent = paymentOf(story);
  const { intentId } = intent;
  const request = { intentId, requestId: randomUUID(), actor, reason, intent };
  const failure = await requestRefund(client, request, deadline).then(() => undefined, noAnswer);
  const isOurs = await isRefundedBy(database, intentId, request.requestId);
  const after = await findIntentStory(database, intentId);
  if (isOurs) return after;
  rejectUnlessCaptured(after);
  throw stillCaptured(after, failure);
}

function rejectUnlessCaptured(story: IntentStory): void {
  if (story.status === 'captured') return;
  if (story.status !== 'refunded') {
    throw new Rejection(
      `Only a captured payment can be refunded, and ${story.intent_id} is ${story.status}. Nothing was moved.`,
    );
  }
  const { actor, at } = story.transitions.find(({ to }) => to === 'refunded') ?? {};
  throw new Rejection(
    `${story.intent_id} was refunded by ${actor ?? 'somebody'} at ${at?.toISOString() ?? 'some time'}. A payment is refunded once: nothing was moved now.`,
  );
}

/** @param failure why Temporal gave no answer; undefined when it did */
function stillCaptured({ intent_id: id }: IntentStory, failure: string | undefined): Rejection {
  return new Rejection(
    failure === undefined
      ? `${id} is still captured, since the ledger holds no capture of it. Nothing was moved. Run "payctl ledger check".`
      : `${failure}, and ${id} is still captured. If it was reached it will refund when a worker is there: look with "payctl intents show ${id}". To repeat this command is safe, since a payment is refunded once.`,
  );
}
