// Webhook activities with a scripted store and sender. All posts and recorded attempts are listed.
import { createWebhookActivities } from '../../activities/webhooks';
import { createEndpointSlots, createEndpointSpeeds } from '../../src/domain/webhooks/endpoints';
import type { EventId } from '../../src/domain/ids';
import type {
  WebhookPost,
  WebhookReply,
  ClaimedWebhook,
  WebhookAttempt,
  WebhookClaim,
} from '../../src/ports/webhooks';
import { knownPartnerId } from '../../src/postgres/intents/row';
import { anEventId, anIntentId } from '../support/builders';
import { createTestClock, secondsAfter } from '../support/clock';
import { SILENT } from '../support/silent-log';

export const EVENT = anEventId();
export const CLAIMED: ClaimedWebhook = {
  eventId: EVENT,
  intentId: anIntentId(),
  partnerId: knownPartnerId('acme'),
  body: '{"type":"payment_intent.captured"}',
  attempts: 0,
  attemptsReplayed: 0,
  url: 'https://acme.example/webhooks',
  secrets: ['whsec_b25l', 'whsec_dHdv'],
  lease: 'a-lease',
};
export const answered = (status: number, retryAfter?: string): WebhookReply => ({
  status,
  retryAfter,
  excerpt: 'the answer',
});
export const SILENCE: WebhookReply = { error: 'timeout after 15 s' };

interface Script {
  readonly claim?: WebhookClaim;
  readonly event?: ClaimedWebhook;
  readonly reply?: WebhookReply;
  readonly isStoreUnreachable?: boolean;
  /** The reason for which the store disables the endpoint. */
  readonly disabledReason?: string;
  /** Duration of a POST; 0.25 by default. */
  readonly postSeconds?: number;
  /** Slots of the endpoint; 2 by default. */
  readonly slots?: number;
  /** Slots that other events use. */
  readonly slotsTaken?: number;
}

export function aDelivery(script: Script) {
  const { event = CLAIMED, reply = answered(200), disabledReason = null, slotsTaken = 0 } = script;
  const clock = createTestClock();
  const posted: WebhookPost[] = [];
  const recorded: WebhookAttempt[] = [];
  const leftToPoller: EventId[] = [];
  const results: string[] = [];
  const warnings: unknown[] = [];
  const slots = createEndpointSlots(script.slots ?? 2);
  const speeds = createEndpointSpeeds();
  for (let count = 0; count < slotsTaken; count += 1) slots.take(CLAIMED.partnerId);
  const { deliverWebhook, deliverWebhookAtOnce } = createWebhookActivities({
    store: {
      claim: () => Promise.resolve(script.claim ?? { outcome: 'claimed', event }),
      claimWaiting: () => Promise.resolve(undefined),
      readWaiting: () => Promise.resolve([]),
      leaveToPoller(eventId) {
        leftToPoller.push(eventId);
        return Promise.resolve();
      },
      finish(_event, attempt) {
        recorded.push(attempt);
        if (script.isStoreUnreachable === true)
          return Promise.reject(new Error('postgres is unreachable'));
        return Promise.resolve(disabledReason);
      },
    },
    sender: {
      post(message) {
        posted.push(message);
        clock.turnTo(secondsAfter(clock.now(), script.postSeconds ?? 0.25));
        return Promise.resolve(reply);
      },
    },
    slots,
    speeds,
    clock,
    random: () => 0.5,
    metrics: { webhookAttempted: (result) => results.push(result) },
    log: { ...SILENT, warn: (fields) => warnings.push(fields) },
  });
  return {
    ...{ posted, recorded, leftToPoller, results, warnings },
    /** Takes the free slots of the endpoint, at most two, and returns their number. */
    takeFreeSlots: () => [1, 2].filter(() => slots.take(CLAIMED.partnerId)).length,
    isFast: () => speeds.isFast(CLAIMED.partnerId),
    deliver: () => deliverWebhook(EVENT, CLAIMED.partnerId),
    deliverAtOnce: () => deliverWebhookAtOnce(EVENT, CLAIMED.partnerId),
  };
}
