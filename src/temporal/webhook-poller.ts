// Sends the due webhook events that no workflow sends: their workflow is gone or waits for a later
// time, an operator replays them, or their endpoint had no free slot (architecture, section 3).
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { EndpointSlots } from '../domain/webhooks/endpoints';
import type { PartnerId } from '../domain/ids';
import type { Log } from '../ports/observe';
import type { ClaimedWebhook, SentWebhook, WaitingEndpoint, WebhookStore } from '../ports/webhooks';
import { callWithin } from './connection';
import { startDelivery } from './starts';

interface PollerOptions {
  readonly client: Client;
  readonly store: Pick<WebhookStore, 'claimWaiting' | 'readWaiting'>;
  readonly slots: EndpointSlots;
  /** Sends the event once and records the attempt. */
  readonly send: (event: ClaimedWebhook) => Promise<SentWebhook>;
  readonly log: Log;
}

const POLL_EVERY_MS = 1_000;
/** The limit over all endpoints, so that many slow ones do not use up the process. */
const UNDER_WAY_MAX = 128;
/** A failing endpoint is sent one event at a time. */
const FAILING_IN_USE_MAX = 1;

export function createWebhookPoller({ client, store, slots, send, log }: PollerOptions) {
  const underWay = new Set<Promise<void>>();
  /** Uses one slot to send this event, and then others that wait for its endpoint. Never throws. */
  const sendFrom = async (
    first: Promise<ClaimedWebhook | undefined>,
    partnerId: PartnerId,
    stop: AbortSignal,
  ) => {
    try {
      for (let next = first; ; next = store.claimWaiting(partnerId)) {
        const event = await next;
        if (event === undefined) return;
        const { retryInMs, takesMore } = await send(event);
        // A workflow makes the next attempt; without one the poller makes it a minute later.
        if (retryInMs !== null) {
          await callWithin(client, () => startDelivery(client, event));
        }
        if (!takesMore || stop.aborted) return;
      }
    } catch (error) {
      const message = 'webhook not sent, or no workflow for its retries; the poller sends it later';
      log.warn({ err: error, partner_id: partnerId }, message);
    } finally {
      slots.release(partnerId);
    }
  };
  const pollEndpoint = async ({ partnerId, isFailing }: WaitingEndpoint, stop: AbortSignal) => {
    const inUseMax = isFailing ? FAILING_IN_USE_MAX : undefined;
    while (!stop.aborted && underWay.size < UNDER_WAY_MAX && slots.take(partnerId, inUseMax)) {
      const first = store.claimWaiting(partnerId);
      const task = sendFrom(first, partnerId, stop).finally(() => underWay.delete(task));
      underWay.add(task);
      if ((await first) === undefined) return;
    }
  };
  return {
    /** Polls until the signal is aborted, and resolves when no sending is under way. */
    async run(stop: AbortSignal): Promise<void> {
      while (!stop.aborted) {
        try {
          for (const endpoint of await store.readWaiting()) await pollEndpoint(endpoint, stop);
        } catch (error) {
          log.warn({ err: error }, 'webhooks not polled; tried again in a second');
        }
        await pause(POLL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
      await Promise.all(underWay);
    },
  };
}
