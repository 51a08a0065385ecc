// Delivers one webhook event (decisions 17 to 19): within its payment's run, or by itself where that run is gone.
import { ActivityFailure, CancellationScope, log, setCurrentDetails } from '@temporalio/workflow';
import type { EventId } from '../src/domain/ids';
import { deliverWebhook } from './steps';

/** Whether it was dealt with; what was not, the reconciler takes up again from the row. */
export async function deliver(eventId: EventId): Promise<boolean> {
  try {
    await deliverWebhook(eventId);
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    log.warn('the webhook was not dealt with in seven days', { eventId });
    return false;
  }
}

export async function webhookDelivery(eventId: EventId): Promise<boolean> {
  return CancellationScope.nonCancellable(async () => {
    setCurrentDetails(
      'Telling the partner by webhook. The pending activity says what the last attempt met.',
    );
    const isDone = await deliver(eventId);
    setCurrentDetails(`The webhook has ${isDone ? '' : 'not '}been dealt with.`);
    return isDone;
  });
}
