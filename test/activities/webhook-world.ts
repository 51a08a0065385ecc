// A world for one webhook activity: a store and a sender that do as told, with what was posted and recorded.
import { createWebhookActivities } from '../../activities/webhooks';
import { parsePartnerId } from '../../src/domain/ids';
import type { WebhookPost, WebhookReply } from '../../src/ports/webhook-sender';
import type {
  WebhookAttempt,
  WebhookClaim,
  WebhookDelivery,
  WebhookHolding,
} from '../../src/ports/webhook-store';
import { anEventId } from '../support/builders';
import { createTestClock, secondsAfter } from '../support/clock';
import { SILENT } from '../support/silent-log';

export const EVENT = anEventId();
export const OWED: WebhookDelivery = {
  eventId: EVENT,
  body: '{"type":"payment_intent.captured"}',
  attempts: 0,
  attemptsReplayed: 0,
};
export const HELD: Omit<WebhookHolding, 'events'> = {
  lease: 'a-lease',
  partnerId: parsePartnerId('acme') ?? ('none' as never),
  place: 1,
  url: 'https://acme.example/webhooks',
  secrets: ['whsec_b25l', 'whsec_dHdv'],
};
export const answered = (status: number, retryAfter?: string): WebhookReply => ({
  status,
  retryAfter,
  excerpt: 'said so',
});
export const SILENCE: WebhookReply = { error: 'timeout after 15 s' };

interface World {
  readonly claim?: WebhookClaim;
  readonly owed?: WebhookDelivery;
  /** In turn; the last one is repeated. */
  readonly replies?: readonly WebhookReply[];
  /** What waits at the endpoint, in the chunks in which it is handed out. */
  readonly waiting?: readonly (readonly WebhookDelivery[])[];
  readonly recordFails?: boolean;
  readonly disables?: string;
  readonly takesSeconds?: number;
  readonly isStopping?: boolean;
}

/** An attempt takes 250 ms of the clock unless told. */
export function aWorld(world: World) {
  const { owed = OWED, replies = [answered(200)], waiting = [], takesSeconds = 0.25 } = world;
  const posted: WebhookPost[] = [];
  const finished: { readonly attempts: readonly WebhookAttempt[]; readonly wanted: number }[] = [];
  const results: string[] = [];
  const told: unknown[] = [];
  const chunks = [...waiting];
  const clock = createTestClock();
  const stopping = new AbortController();
  if (world.isStopping === true) stopping.abort();
  const { deliverWebhook } = createWebhookActivities({
    store: {
      claim: () =>
        Promise.resolve(
          world.claim ?? { outcome: 'claimed', holding: { ...HELD, events: [owed] } },
        ),
      finish: (_holding, attempts, wanted) => {
        finished.push({ attempts, wanted });
        if (world.recordFails === true) return Promise.reject(new Error('postgres is away'));
        const events = wanted > 0 ? chunks.shift() : undefined;
        const next = events && { ...HELD, events };
        return Promise.resolve({ next, disabledReason: world.disables ?? null });
      },
    },
    sender: {
      post: (message) => {
        const reply = replies[Math.min(posted.length, replies.length - 1)];
        posted.push(message);
        clock.turnTo(secondsAfter(clock.now(), takesSeconds));
        return Promise.resolve(reply ?? SILENCE);
      },
    },
    clock,
    random: () => 0.5,
    metrics: { webhookAttempted: (result) => results.push(result) },
    log: { ...SILENT, warn: (fields) => told.push(fields) },
    stopping: stopping.signal,
  });
  const recorded = () => finished.flatMap(({ attempts }) => attempts);
  return { posted, finished, recorded, results, told, deliver: () => deliverWebhook(EVENT) };
}
