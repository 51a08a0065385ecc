// Delivers one webhook event (decisions 17 to 19): within its payment's run, or by itself where that run is gone.
import {
  ActivityFailure,
  CancellationScope,
  log,
  setCurrentDetails,
  TemporalFailure,
} from '@temporalio/workflow';
import type { EventId, PartnerId } from '../src/domain/ids';
import { deliverWebhook, deliverWebhookAtOnce } from './steps';

interface Endpoint {
  readonly partnerId: PartnerId;
  /** It has taken its last events at once. */
  readonly isFast: boolean;
}

/**
 * Whether it was dealt with; what was not, the poller takes up again from the row. The first attempt at a fast endpoint is part of
 * the task that captures, and confirms are answered from the row meanwhile. Every other attempt has the queue of webhooks, so that
 * slow endpoints hold no slot that payments need.
 */
async function deliver(eventId: EventId, { partnerId, isFast }: Endpoint): Promise<boolean> {
  if (isFast && (await isDeliveredAtOnce(eventId, partnerId))) return true;
  try {
    await deliverWebhook(eventId, partnerId);
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    log.warn('the webhook was not dealt with in seven days', { eventId });
    return false;
  }
}

async function isDeliveredAtOnce(eventId: EventId, partnerId: PartnerId): Promise<boolean> {
  try {
    await deliverWebhookAtOnce(eventId, partnerId);
    return true;
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    return false;
  }
}

/** Delivers the event of what has finished so, if there is one, and shows how far that is. */
export async function announce(
  finished: string,
  eventId: EventId | null,
  endpoint: Endpoint,
): Promise<void> {
  setCurrentDetails(finished);
  if (eventId === null) return;
  setCurrentDetails(`${finished} Sending the webhook to the partner.`);
  const isDone = await deliver(eventId, endpoint);
  setCurrentDetails(`${finished} The webhook has ${isDone ? '' : 'not '}been dealt with.`);
}

export async function webhookDelivery(eventId: EventId, partnerId: PartnerId): Promise<boolean> {
  return CancellationScope.nonCancellable(async () => {
    setCurrentDetails(
      'Telling the partner by webhook. The pending activity says what the last attempt met.',
    );
    const isDone = await deliver(eventId, { partnerId, isFast: false });
    setCurrentDetails(`The webhook has ${isDone ? '' : 'not '}been dealt with.`);
    return isDone;
  });
}
