// `payctl intents refund` (decision 16): asks the run that refunds, and tells what came of it by the row alone
// (architecture, section 3, rule R2).
import { randomUUID } from 'node:crypto';
import { parseCorridor } from '../domain/corridor';
import { parseIntentId, parsePartnerId } from '../domain/ids';
import { usdCents } from '../domain/money';
import type { Database } from '../postgres/database';
import { isRefundedBy } from '../postgres/refund-request';
import { requestRefund } from '../temporal/refund-start';
import { findIntentStory, type IntentStory } from './intent-story';
import { Refusal } from './refusal';
import type { TemporalTools } from './temporal';

export interface RefundTools extends TemporalTools {
  readonly database: Database;
}

export interface RefundOrder {
  readonly intentId: string;
  readonly actor: string;
  readonly reason: string | null;
}

/**
 * The intent as it stands once this very call has refunded it.
 * @throws Refusal when it has not, with what the row says and never a guess
 */
export async function refundIntent(tools: RefundTools, order: RefundOrder): Promise<IntentStory> {
  const { database } = tools;
  const story = await findIntentStory(database, order.intentId);
  refuseUnlessCaptured(story);
  const asked = requestOf(story, order);
  const failure = await askRun(tools, asked);
  const isOurs = await isRefundedBy(database, asked.intentId, asked.requestId);
  const after = await findIntentStory(database, order.intentId);
  if (isOurs) return after;
  refuseUnlessCaptured(after);
  throw stillCaptured(after, failure);
}

type Asked = Parameters<typeof requestRefund>[1];

function requestOf(story: IntentStory, { actor, reason }: RefundOrder): Asked {
  const intentId = parseIntentId(story.intent_id);
  const partnerId = parsePartnerId(story.partner_id);
  if (intentId === undefined || partnerId === undefined) throw new Error('a row has no ids');
  const intent = {
    partnerId,
    corridor: parseCorridor(story.corridor),
    amountUsdCents: usdCents(story.amount_usd_cents),
  };
  return { intentId, requestId: randomUUID(), actor, reason, intent };
}

/** Why Temporal gave no answer; undefined when it did. */
async function askRun(
  { client, deadline }: RefundTools,
  asked: Asked,
): Promise<string | undefined> {
  try {
    await requestRefund(client, asked, deadline);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function refuseUnlessCaptured(story: IntentStory): void {
  if (story.status === 'captured') return;
  if (story.status !== 'refunded') {
    throw new Refusal(
      `Only a captured payment can be refunded, and ${story.intent_id} is ${story.status}. Nothing was moved.`,
    );
  }
  const { actor, at } = story.transitions.find(({ to }) => to === 'refunded') ?? {};
  throw new Refusal(
    `${story.intent_id} was refunded by ${actor ?? 'somebody'} at ${at?.toISOString() ?? 'some time'}. A payment is refunded once: nothing was moved now.`,
  );
}

function stillCaptured({ intent_id: id }: IntentStory, failure: string | undefined): Refusal {
  if (failure === undefined) {
    return new Refusal(
      `${id} is still captured, since the ledger holds no capture of it. Nothing was moved. Run "payctl ledger check".`,
    );
  }
  return new Refusal(
    `Temporal gave no answer (${failure}), and ${id} is still captured. If it was reached it will refund when a worker is there: look with "payctl intents show ${id}". To repeat this command is safe, since a payment is refunded once.`,
  );
}
