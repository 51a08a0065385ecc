// Delivers one webhook event (decisions 17 to 19), within the payment's workflow or in one of its
// own.
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
  /** It has answered its last events fast. */
  readonly isFast: boolean;
}

/**
 * Returns false if the event is still open after seven days; the poller sends it then. A fast
 * endpoint's first attempt runs in the task that captures, while the confirm is answered from the
 * row. All other attempts use the webhooks queue, so that slow endpoints hold no slot of payments.
 */
async function deliver(eventId: EventId, { partnerId, isFast }: Endpoint): Promise<boolean> {
  if (isFast && (await isDeliveredAtOnce(eventId, partnerId))) return true;
  try {
    await deliverWebhook(eventId, partnerId);
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    log.warn('the webhook is still open after seven days; the poller sends it', { eventId });
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

/** Delivers the event, if there is one, and shows the progress in the UI. */
export async function announce(
  finished: string,
  eventId: EventId | null,
  endpoint: Endpoint,
): Promise<void> {
  setCurrentDetails(finished);
  if (eventId === null) return;
  setCurrentDetails(`${finished} Sending the webhook to the partner.`);
  const isDone = await deliver(eventId, endpoint);
  setCurrentDetails(`${finished} ${isDone ? WEBHOOK_DONE : WEBHOOK_OPEN}`);
}

const WEBHOOK_DONE = 'The webhook event is finished.';
const WEBHOOK_OPEN = 'The webhook event is still open.';

export async function webhookDelivery(eventId: EventId, partnerId: PartnerId): Promise<boolean> {
  return CancellationScope.nonCancellable(async () => {
    setCurrentDetails(
      'Sending a webhook to the partner. The pending activity shows the last failure.',
    );
    const isDone = await deliver(eventId, { partnerId, isFast: false });
    setCurrentDetails(isDone ? WEBHOOK_DONE : WEBHOOK_OPEN);
    return isDone;
  });
}
