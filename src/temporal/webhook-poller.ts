// Sends the webhook events that are due and that nobody else sends: those whose workflow is gone or waits for another time, those
// that operations replay, and those for which their endpoint had no slot (architecture, section 3).
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { EndpointSlots } from '../domain/endpoint-slots';
import type { Log } from '../ports/log';
import type { ClaimedWebhook, WaitingEndpoint, WebhookStore } from '../ports/webhook-store';
import { callWithin } from './connection';
import { ensureDelivery } from './webhook-start';

export interface WebhookPoller {
  /** Polls until the signal is aborted, and returns when nothing is under way. */
  run(stop: AbortSignal): Promise<void>;
}

interface PollerOptions {
  readonly client: Client;
  readonly store: Pick<WebhookStore, 'claimWaiting' | 'readWaiting'>;
  readonly slots: EndpointSlots;
  /** Sends the event once and records the attempt. */
  readonly send: (event: ClaimedWebhook) => Promise<SendOutcome>;
  readonly log: Log;
}

export interface SendOutcome {
  /** Whether a further attempt is due. */
  readonly isPending: boolean;
  /** Whether the endpoint may be sent the next event at once. */
  readonly takesMore: boolean;
}

const POLL_EVERY_MS = 1_000;
/** Of all endpoints, so that many slow ones do not use up the process. */
const UNDER_WAY_MAX = 128;
/** A failing endpoint is sent one event at a time. */
const FAILING_IN_USE_MAX = 1;

export function createWebhookPoller(options: PollerOptions): WebhookPoller {
  const { store, log } = options;
  const pollEndpoint = createEndpointPoller(options);
  return {
    async run(stop) {
      const underWay = new Set<Promise<void>>();
      const pollOnce = async () => {
        for (const endpoint of await store.readWaiting()) {
          if (stop.aborted) return;
          await pollEndpoint(endpoint, underWay, stop);
        }
      };
      while (!stop.aborted) {
        await pollOnce().catch((error: unknown) => {
          log.warn({ err: error }, 'webhooks not polled; polled again in a second');
        });
        await pause(POLL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
      await Promise.all(underWay);
    },
  };
}

/** Takes free slots of an endpoint and leases of as many events, and begins to send them. */
function createEndpointPoller({ store, slots, log, ...options }: PollerOptions) {
  /** Sends this event, and then others that wait at its endpoint, from the one slot that was taken for it. */
  const sendFrom = async (first: ClaimedWebhook, stop: AbortSignal) => {
    const { partnerId } = first;
    try {
      let event: ClaimedWebhook | undefined = first;
      while (event !== undefined) {
        const { isPending, takesMore } = await options.send(event);
        if (isPending) await scheduleRetries(options.client, log, event);
        [event] = takesMore && !stop.aborted ? await store.claimWaiting(partnerId, 1) : [];
      }
    } catch (error) {
      log.warn(
        { err: error, partner_id: partnerId },
        'webhook not sent; sent again after its lease',
      );
    } finally {
      slots.release(partnerId, 1);
    }
  };

  return async (
    { partnerId, isFailing }: WaitingEndpoint,
    underWay: Set<Promise<void>>,
    stop: AbortSignal,
  ): Promise<void> => {
    const room = UNDER_WAY_MAX - underWay.size;
    const taken = slots.take(partnerId, room, isFailing ? FAILING_IN_USE_MAX : undefined);
    if (taken === 0) return;
    let events: readonly ClaimedWebhook[] = [];
    try {
      events = await store.claimWaiting(partnerId, taken);
    } finally {
      slots.release(partnerId, taken - events.length);
    }
    for (const event of events) {
      const task = sendFrom(event, stop).finally(() => underWay.delete(task));
      underWay.add(task);
    }
  };
}

/** A workflow of its own waits for the event's next attempt. Without one the poller makes it a minute later. */
async function scheduleRetries(client: Client, log: Log, event: ClaimedWebhook): Promise<void> {
  try {
    await callWithin(client, () => ensureDelivery(client, event));
  } catch (error) {
    log.warn({ err: error, event_id: event.eventId }, 'no workflow for the retries of a webhook');
  }
}
