// Delivers a webhook event by the schedule of decision 19, and takes others of its endpoint along that wait there. The
// attempts that were recorded count, not Temporal's counter, which also counts attempts lost with a worker
// (architecture, section 3).
import type { EventId } from '../src/domain/ids';
import { WEBHOOK_CHUNK_EVENTS, WEBHOOK_HELP_MS } from '../src/domain/limits';
import type { Log } from '../src/ports/log';
import type { WebhookAttempt, WebhookHolding, WebhookStore } from '../src/ports/webhook-store';
import { throwNotClaimed, throwRefused } from './webhook-waits';
import { attemptOnce, takesMore, type AttemptDependencies } from './webhook-attempt';

export interface WebhookActivities {
  /**
   * Ends when nothing is owed any more. @throws WebhookRefused, WebhookUnderWay or WebhookQueued, each with the delay
   * until it is looked at again
   */
  deliverWebhook(eventId: EventId): Promise<void>;
}

export interface WebhookDependencies extends AttemptDependencies {
  readonly store: WebhookStore;
  readonly log: Log;
  /** Aborted when the worker shuts down: nothing more is taken along then. */
  readonly stopping: AbortSignal;
}

export function createWebhookActivities(dependencies: WebhookDependencies): WebhookActivities {
  return {
    async deliverWebhook(eventId) {
      const claim = await dependencies.store.claim(eventId);
      if (claim.outcome === 'done') return;
      if (claim.outcome !== 'claimed') return throwNotClaimed(claim, dependencies.random());
      const own = await deliverAndHelp(dependencies, claim.holding);
      if (own?.result === 'retry') throwRefused(own);
    },
  };
}

/** The claimed event first, then what waits at its endpoint, for as long as that takes it. Answers its attempt. */
async function deliverAndHelp(
  dependencies: WebhookDependencies,
  claimed: WebhookHolding,
): Promise<WebhookAttempt | undefined> {
  const { clock, store, stopping } = dependencies;
  let attempts = await sendInTurn(dependencies, claimed, () => true);
  const [own] = attempts;
  const untilMs = clock.now().getTime() + WEBHOOK_HELP_MS;
  const canHelp = (last: WebhookAttempt | undefined) =>
    last !== undefined && takesMore(last) && !stopping.aborted && clock.now().getTime() < untilMs;
  let holding: WebhookHolding | undefined = claimed;
  while (holding !== undefined) {
    const wanted = canHelp(attempts.at(-1)) ? WEBHOOK_CHUNK_EVENTS : 0;
    const { next, disabledReason } = await store.finish(holding, attempts, wanted);
    if (disabledReason !== null) tellDisabled(dependencies, holding, disabledReason);
    holding = next;
    if (next !== undefined) attempts = await sendInTurn(dependencies, next, canHelp);
  }
  return own;
}

/** One after the other, until one says that it should be the last. */
async function sendInTurn(
  dependencies: WebhookDependencies,
  holding: WebhookHolding,
  canGoOn: (last: WebhookAttempt | undefined) => boolean,
): Promise<readonly WebhookAttempt[]> {
  const attempts: WebhookAttempt[] = [];
  for (const event of holding.events) {
    if (attempts.length > 0 && !canGoOn(attempts.at(-1))) break;
    attempts.push(await attemptOnce(dependencies, holding, event));
  }
  return attempts;
}

function tellDisabled(
  { log }: WebhookDependencies,
  { partnerId }: WebhookHolding,
  reason: string,
): void {
  log.warn(
    { partner_id: partnerId, reason },
    'webhook endpoint disabled: its events are missed until operations enable it',
  );
}
