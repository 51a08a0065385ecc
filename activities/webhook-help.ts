// Whoever has sent a webhook sends others that wait at the same endpoint (decision 19): a backlog goes at the speed of the
// endpoint and not of Temporal, which has no run for each event.
import { WEBHOOK_CHUNK_EVENTS, WEBHOOK_HELP_MS, WEBHOOK_PLACES } from '../src/domain/limits';
import type { Log } from '../src/ports/log';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookHolding,
  WebhookNext,
  WebhookRecord,
  WebhookStore,
} from '../src/ports/webhook-store';
import { takesMore, type AttemptDependencies } from './webhook-attempt';
import { drain } from './webhook-drain';

export interface HelpDependencies extends AttemptDependencies {
  readonly store: WebhookStore;
  readonly log: Log;
  /** Aborted when the worker shuts down: nothing more is taken along then. */
  readonly stopping: AbortSignal;
}

/**
 * Records the attempt, and goes on from its place; from more places where a whole chunk shows that there is a backlog.
 * Answers whether the endpoint was disabled by the attempt.
 */
export async function recordAndHelp(
  dependencies: HelpDependencies,
  holding: WebhookHolding,
  own: WebhookAttempt,
): Promise<{ readonly isDisabled: boolean }> {
  const { clock, stopping } = dependencies;
  const untilMs = clock.now().getTime() + WEBHOOK_HELP_MS;
  const canGoOn = (last: WebhookAttempt) =>
    takesMore(last) && !stopping.aborted && clock.now().getTime() < untilMs;
  const finish = (record: WebhookRecord) => finishAndTell(dependencies, holding, record);
  const wanted = canGoOn(own) ? WEBHOOK_CHUNK_EVENTS : 0;
  const next = await finish({ attempts: [own], unsent: [], wanted, isLast: true });
  if (next.events.length > 0) {
    const places = 1 + (await takePlaces(dependencies, holding, next.events));
    const backlog = { events: next.events, places, isAlone: places === WEBHOOK_PLACES };
    await drain({ ...dependencies, holding, finish, canGoOn }, backlog);
  }
  return { isDisabled: next.disabledReason !== null };
}

/**
 * All that are free, where a whole chunk shows that there is a backlog. Where Postgres cannot tell, the chunk is given back and not
 * sent: it could perhaps not be recorded either.
 */
async function takePlaces(
  { store }: HelpDependencies,
  holding: WebhookHolding,
  events: readonly WebhookDelivery[],
): Promise<number> {
  if (events.length < WEBHOOK_CHUNK_EVENTS) return 0;
  try {
    return await store.takePlaces(holding, WEBHOOK_PLACES - 1);
  } catch (error) {
    await store.finish(holding, { attempts: [], unsent: events, wanted: 0, isLast: true });
    throw error;
  }
}

async function finishAndTell(
  { store, log }: HelpDependencies,
  holding: WebhookHolding,
  record: WebhookRecord,
): Promise<WebhookNext> {
  const next = await store.finish(holding, record);
  if (next.disabledReason !== null) {
    log.warn(
      { partner_id: holding.partnerId, reason: next.disabledReason },
      'webhook endpoint disabled: its events are missed until operations enable it',
    );
  }
  return next;
}
