// Sends the webhook events that are owed and that nobody sends (architecture, section 3, sweep (b)): from this process, and what
// waits at the same endpoint goes along. An event that is owed still, or that there is no room for here, gets a run of its own,
// which waits for its next attempt.
import { ApplicationFailure, type Client } from '@temporalio/client';
import type { EventId } from '../domain/ids';
import type { Log } from '../ports/log';
import type { OwedEvent } from '../ports/payment-sweep';
import { callWithin } from './connection';
import { ensureDelivery } from './webhook-start';

export interface OwedDeliveries {
  /** Comes back when it is being sent, or has a run. Never throws: what could not be done is swept again after the lease. */
  take(event: OwedEvent): Promise<void>;
  /** Comes back when nothing is under way. */
  ended(): Promise<void>;
}

interface OwedDeliveriesOptions {
  readonly client: Client;
  /** As the activity does: claims, sends and records. @throws ApplicationFailure when the event is owed still */
  readonly deliver: (eventId: EventId) => Promise<void>;
  readonly log: Log;
  /** Aborted when the worker shuts down: nothing is begun any more, and what is owed is for the next sweep of another. */
  readonly stopping: AbortSignal;
}

/** So few, that the backlogs of many endpoints are spread over all workers by their runs. */
const UNDER_WAY_MAX = 16;
const START_TIMEOUT_MS = 5_000;

export function createOwedDeliveries(options: OwedDeliveriesOptions): OwedDeliveries {
  const isStopping = () => options.stopping.aborted;
  const underWay = new Set<Promise<void>>();
  let sending = 0;
  const isFull = () => sending >= UNDER_WAY_MAX;
  const seeTo = async (event: OwedEvent) => {
    sending += 1;
    const isDone = await send(options, event);
    sending -= 1;
    if (!isDone && !isStopping()) await hasRun(options, event);
  };
  return {
    async take(event) {
      if (isStopping()) return;
      const isForRun = event.isEndpointFailing || isFull();
      if (isForRun && (await hasRun(options, event))) return;
      // Temporal is away: then an endpoint that was failing is sent to from here too.
      if (isFull() || isStopping()) return;
      const task = seeTo(event).finally(() => underWay.delete(task));
      underWay.add(task);
    },
    async ended() {
      await Promise.all(underWay);
    },
  };
}

/** Whether nothing is owed any more. */
async function send(
  { deliver, log }: OwedDeliveriesOptions,
  { eventId }: OwedEvent,
): Promise<boolean> {
  try {
    await deliver(eventId);
    return true;
  } catch (error) {
    const isExpected = error instanceof ApplicationFailure;
    if (!isExpected) log.warn({ err: error, event_id: eventId }, 'webhook not sent by the sweep');
    return false;
  }
}

/** Makes sure of it; false when Temporal does not answer. */
async function hasRun({ client, log }: OwedDeliveriesOptions, event: OwedEvent): Promise<boolean> {
  try {
    await callWithin(client, START_TIMEOUT_MS, () => ensureDelivery(client, event));
    return true;
  } catch (error) {
    log.warn(
      { err: error, event_id: event.eventId },
      'delivery not ensured; a later sweep tries again',
    );
    return false;
  }
}
