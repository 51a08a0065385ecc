// A world for one webhook activity: a store and a sender that do as told, with what was posted and recorded.
import { createWebhookActivities } from '../../activities/webhooks';
import { parsePartnerId } from '../../src/domain/ids';
import type { WebhookPost, WebhookReply } from '../../src/ports/webhook-sender';
import type {
  WebhookClaim,
  WebhookDelivery,
  WebhookHolding,
  WebhookRecord,
} from '../../src/ports/webhook-store';
import { anEventId } from '../support/builders';
import { createTestClock, secondsAfter, type TestClock } from '../support/clock';
import { SILENT } from '../support/silent-log';

export const EVENT = anEventId();
export const OWED: WebhookDelivery = {
  eventId: EVENT,
  body: '{"type":"payment_intent.captured"}',
  attempts: 0,
  attemptsReplayed: 0,
};
export const HELD: WebhookHolding = {
  lease: 'a-lease',
  partnerId: parsePartnerId('acme') ?? ('none' as never),
  url: 'https://acme.example/webhooks',
  secrets: ['whsec_b25l', 'whsec_dHdv'],
  mark: 'a-mark',
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
  /** What waits at the endpoint. */
  readonly waiting?: readonly WebhookDelivery[];
  /** Further places that are free there; the store may not be able to tell. */
  readonly freePlaces?: number | 'none told';
  /** From which record on the store fails. */
  readonly failsFrom?: number;
  readonly disables?: string;
  readonly takesSeconds?: number;
  readonly isStopping?: boolean;
}

/** An attempt takes 250 ms of the clock unless told. */
export function aWorld(world: World) {
  const { owed = OWED, waiting = [], isStopping = false } = world;
  const clock = createTestClock();
  const sender = aSender(world, clock);
  const store = aStore(world, waiting);
  const results: string[] = [];
  const told: unknown[] = [];
  const { deliverWebhook } = createWebhookActivities({
    store: {
      ...store,
      claim: () =>
        Promise.resolve(world.claim ?? { outcome: 'claimed', holding: HELD, event: owed }),
    },
    sender,
    clock,
    random: () => 0.5,
    metrics: { webhookAttempted: (result) => results.push(result) },
    log: { ...SILENT, warn: (fields) => told.push(fields) },
    stopping: isStopping ? AbortSignal.abort() : new AbortController().signal,
  });
  const { posted } = sender;
  return { ...store, posted, results, told, deliver: () => deliverWebhook(EVENT) };
}

function aSender({ replies = [answered(200)], takesSeconds = 0.25 }: World, clock: TestClock) {
  const posted: WebhookPost[] = [];
  return {
    posted,
    post: (message: WebhookPost) => {
      const reply = replies[Math.min(posted.length, replies.length - 1)] ?? SILENCE;
      posted.push(message);
      clock.turnTo(secondsAfter(clock.now(), takesSeconds));
      return Promise.resolve(reply);
    },
  };
}

/** Hands out what waits, up to what is wanted, and remembers what it was told. */
function aStore(
  { freePlaces = 0, failsFrom, disables }: World,
  waiting: readonly WebhookDelivery[],
) {
  const left = [...waiting];
  const records: WebhookRecord[] = [];
  const placesAsked: number[] = [];
  return {
    records,
    placesAsked,
    recorded: () => records.flatMap(({ attempts }) => attempts),
    takePlaces: (_holding: WebhookHolding, places: number) => {
      placesAsked.push(places);
      return freePlaces === 'none told'
        ? Promise.reject(new Error('postgres is away'))
        : Promise.resolve(freePlaces);
    },
    finish: (_holding: WebhookHolding, record: WebhookRecord) => {
      records.push(record);
      if (failsFrom !== undefined && records.length >= failsFrom) {
        return Promise.reject(new Error('postgres is away'));
      }
      left.push(...record.unsent);
      const events = left.splice(0, record.wanted);
      return Promise.resolve({ events, disabledReason: disables ?? null });
    },
  };
}
