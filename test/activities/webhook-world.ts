// A world for one webhook activity: a store and a sender that do as told, with what was posted and recorded.
import { createWebhookActivities } from '../../activities/webhooks';
import { createEndpointSlots } from '../../src/domain/webhooks/endpoint-slots';
import type { EventId } from '../../src/domain/ids';
import type { WebhookPost, WebhookReply } from '../../src/ports/webhook-sender';
import type { ClaimedWebhook, WebhookAttempt, WebhookClaim } from '../../src/ports/webhook-store';
import { knownPartnerId } from '../../src/postgres/intents/row';
import { anEventId, anIntentId } from '../support/builders';
import { createTestClock, secondsAfter } from '../support/clock';
import { SILENT } from '../support/silent-log';
import { createEndpointSpeeds } from '../../src/domain/webhooks/endpoint-speeds';

export const EVENT = anEventId();
export const OWED: ClaimedWebhook = {
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
  excerpt: 'said so',
});
export const SILENCE: WebhookReply = { error: 'timeout after 15 s' };

interface World {
  readonly claim?: WebhookClaim;
  readonly owed?: ClaimedWebhook;
  readonly reply?: WebhookReply;
  readonly isStoreAway?: boolean;
  /** Why the attempt disables the endpoint. */
  readonly disables?: string;
  readonly takesSeconds?: number;
  /** Of the endpoint; 2 unless given. */
  readonly slots?: number;
  /** Of the endpoint, taken by other events. */
  readonly slotsTaken?: number;
}

/** An endpoint has two slots, and an attempt takes 250 ms of the clock unless told. */
export function aWorld(world: World) {
  const { owed = OWED, reply = answered(200), disables = null, slotsTaken = 0 } = world;
  const clock = createTestClock();
  const posted: WebhookPost[] = [];
  const recorded: WebhookAttempt[] = [];
  const leftToPoller: EventId[] = [];
  const results: string[] = [];
  const told: unknown[] = [];
  const slots = createEndpointSlots(world.slots ?? 2);
  const speeds = createEndpointSpeeds();
  for (let count = 0; count < slotsTaken; count += 1) slots.take(OWED.partnerId);
  const { deliverWebhook, deliverWebhookAtOnce } = createWebhookActivities({
    store: {
      claim: () => Promise.resolve(world.claim ?? { outcome: 'claimed', event: owed }),
      claimWaiting: () => Promise.resolve(undefined),
      readWaiting: () => Promise.resolve([]),
      leaveToPoller(eventId) {
        leftToPoller.push(eventId);
        return Promise.resolve();
      },
      finish(_event, attempt) {
        recorded.push(attempt);
        if (world.isStoreAway === true) return Promise.reject(new Error('postgres is away'));
        return Promise.resolve(disables);
      },
    },
    sender: {
      post(message) {
        posted.push(message);
        clock.turnTo(secondsAfter(clock.now(), world.takesSeconds ?? 0.25));
        return Promise.resolve(reply);
      },
    },
    slots,
    speeds,
    clock,
    random: () => 0.5,
    metrics: { webhookAttempted: (result) => results.push(result) },
    log: { ...SILENT, warn: (fields) => told.push(fields) },
  });
  return {
    ...{ posted, recorded, leftToPoller, results, told },
    /** Of the endpoint's two. */
    slotsFree: () => [1, 2].filter(() => slots.take(OWED.partnerId)).length,
    isFast: () => speeds.isFast(OWED.partnerId),
    deliver: () => deliverWebhook(EVENT, OWED.partnerId),
    deliverAtOnce: () => deliverWebhookAtOnce(EVENT, OWED.partnerId),
  };
}
