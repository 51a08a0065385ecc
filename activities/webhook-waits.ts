// What an activity tells Temporal when a webhook is not dealt with yet: why, as the Temporal UI shows it, and when to look
// again. It never waits itself, since that would keep a slot of the worker.
import { WEBHOOK_WAITS_MS } from '../src/domain/webhook-schedule';
import type { MadeAttempt, WebhookAttempt, WebhookClaim } from '../src/ports/webhook-store';
import { webhookQueued, webhookRefused, webhookUnderWay } from './failures';

/** Whoever sends it has nearly always finished by then, and a lease that nobody holds any more is over soon after. */
const LOOK_AGAIN_WITHIN_MS = 15_000;
const LOOK_AGAIN_AFTER_MS = 1_000;

/** A quarter of the time that it has waited already, so that a long queue is not asked for all the time. */
const QUEUED_MIN_MS = 30_000;
const QUEUED_MAX_MS = 200_000;
const QUEUED_SHARE = 0.25;

type NotClaimed = Exclude<WebhookClaim, { readonly outcome: 'claimed' | 'done' }>;

/** @param random in [0, 1), so that those who wait do not all come back at once */
export function throwNotClaimed(claim: NotClaimed, random: number): never {
  switch (claim.outcome) {
    case 'not_due':
      throw webhookRefused(describe(claim.last), claim.waitMs);
    case 'under_way':
      throw webhookUnderWay(
        Math.max(LOOK_AGAIN_AFTER_MS, Math.min(claim.waitMs, LOOK_AGAIN_WITHIN_MS)),
      );
    case 'busy': {
      const share = claim.dueForMs * QUEUED_SHARE;
      const meanMs = Math.min(Math.max(share, QUEUED_MIN_MS), QUEUED_MAX_MS);
      throw webhookQueued(Math.round(meanMs * (0.5 + random)));
    }
  }
}

export function throwRefused({ event, status, error, retryInMs }: WebhookAttempt): never {
  const number = event.attempts - event.attemptsReplayed + 1;
  throw webhookRefused(describe({ number, status, error }), retryInMs ?? 0);
}

function describe(last: MadeAttempt | null): string {
  if (last === null) return 'it is not due yet';
  const { number, status, error } = last;
  const what = error ?? `the endpoint answered ${String(status)}`;
  return `attempt ${String(number)} of ${String(WEBHOOK_WAITS_MS.length)}: ${what}`;
}
