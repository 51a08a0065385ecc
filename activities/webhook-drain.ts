// Sends a backlog of one endpoint (decision 19): one event at a time from each place, while what was sent is recorded and
// what comes next is fetched beside it.
import { WEBHOOK_CHUNK_EVENTS } from '../src/domain/limits';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookHolding,
  WebhookNext,
  WebhookRecord,
} from '../src/ports/webhook-store';
import { attemptOnce, type AttemptDependencies } from './webhook-attempt';

export interface DrainOptions extends AttemptDependencies {
  readonly holding: WebhookHolding;
  /** Whether the endpoint may be sent the next event after this attempt. */
  readonly canGoOn: (last: WebhookAttempt) => boolean;
  readonly finish: (record: WebhookRecord) => Promise<WebhookNext>;
}

interface Backlog {
  readonly events: readonly WebhookDelivery[];
  readonly places: number;
  /** These are all places of the endpoint. */
  readonly isAlone: boolean;
}

/** What is sent next, and what was sent and is not recorded yet: never more than a chunk of each for every place. */
interface Draining {
  readonly capacity: number;
  readonly isAlone: boolean;
  readonly queue: WebhookDelivery[];
  readonly sending: Set<WebhookDelivery>;
  made: WebhookAttempt[];
  /** Nothing more is to be sent, or nothing more is there. */
  isOver: boolean;
  hasMore: boolean;
  /** Attempts are with the store, and whether it has recorded them is not known. */
  isInDoubt: boolean;
  refilling: Promise<void> | undefined;
  failure: Error | undefined;
}

/** Comes back when all is recorded and the places are free. @throws what the store throws, once nothing is under way */
export async function drain(options: DrainOptions, backlog: Backlog): Promise<void> {
  const { events, places, isAlone } = backlog;
  const draining: Draining = {
    capacity: places * WEBHOOK_CHUNK_EVENTS,
    isAlone,
    queue: [...events],
    sending: new Set(),
    made: [],
    isOver: false,
    hasMore: true,
    isInDoubt: false,
    refilling: undefined,
    failure: undefined,
  };
  // There is an event for each place as yet.
  if (places > 1) void refill(options, draining);
  await Promise.all(Array.from({ length: places }, () => sendFromPlace(options, draining)));
  await draining.refilling;
  const { made: attempts, queue: unsent, failure, isInDoubt } = draining;
  // Sent alone, events have no leases of their own: the places keep them from others. What was sent and perhaps not recorded
  // would be sent again at once if the places were freed, so these are left to run out.
  const isLast = !(isInDoubt && isAlone);
  await options.finish({ attempts, unsent, wanted: 0, inHand: inHand(draining), isLast });
  if (failure !== undefined) throw failure;
}

async function sendFromPlace(options: DrainOptions, draining: Draining): Promise<void> {
  while (!draining.isOver) {
    const event = draining.queue.shift();
    if (event === undefined) {
      await refill(options, draining);
      draining.isOver ||= draining.queue.length === 0;
      continue;
    }
    draining.sending.add(event);
    const attempt = await attemptOnce(options, options.holding, event);
    draining.sending.delete(event);
    draining.made.push(attempt);
    draining.isOver ||= !options.canGoOn(attempt);
    if (!draining.isOver && isLow(draining)) void refill(options, draining);
  }
}

function isLow({ capacity, queue, hasMore }: Draining): boolean {
  return hasMore && queue.length < capacity / 2;
}

/** Once at a time, for whoever waits for it. Never rejects. */
function refill(options: DrainOptions, draining: Draining): Promise<void> {
  draining.refilling ??= refillOnce(options, draining)
    .catch((error: unknown) => {
      draining.failure =
        error instanceof Error ? error : new Error('not recorded', { cause: error });
      draining.isOver = true;
    })
    .finally(() => {
      draining.refilling = undefined;
    });
  return draining.refilling;
}

async function refillOnce({ finish }: DrainOptions, draining: Draining): Promise<void> {
  const { capacity, queue, hasMore, made: attempts } = draining;
  draining.made = [];
  const wanted = hasMore ? capacity - queue.length : 0;
  if (wanted === 0 && attempts.length === 0) return;
  const record = { attempts, unsent: [], wanted, inHand: inHand(draining), isLast: false };
  draining.isInDoubt = attempts.length > 0;
  const { events } = await finish(record);
  draining.isInDoubt = false;
  queue.push(...events);
  draining.hasMore &&= events.length === wanted;
}

function inHand({ isAlone, queue, sending }: Draining): readonly WebhookDelivery[] | undefined {
  return isAlone ? [...queue, ...sending] : undefined;
}
