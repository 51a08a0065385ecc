// What an activity reports to Temporal when a webhook is not delivered yet: why, as the Temporal UI shows it, and when to try
// again. It never waits itself, since that would keep a slot of the worker.
import { WEBHOOK_WAITS_MS } from '../src/domain/webhook-schedule';
import type {
  ClaimedWebhook,
  MadeAttempt,
  WebhookAttempt,
  WebhookClaim,
} from '../src/ports/webhook-store';
import { webhookQueued, webhookRefused, webhookUnderWay } from './failures';

/** The worker that sends it has nearly always finished by then, and a lease without a holder ends soon after. */
const LOOK_AGAIN_WITHIN_MS = 15_000;
const LOOK_AGAIN_AFTER_MS = 1_000;

/** By then the poller has nearly always sent it. */
const FULL_MEAN_MS = 60_000;

type NotClaimed = Exclude<WebhookClaim, { readonly outcome: 'claimed' | 'done' }>;

export function throwNotClaimed(claim: NotClaimed): never {
  if (claim.outcome === 'not_due') throw webhookRefused(describe(claim.last), claim.waitMs);
  throw webhookUnderWay(
    Math.max(LOOK_AGAIN_AFTER_MS, Math.min(claim.waitMs, LOOK_AGAIN_WITHIN_MS)),
  );
}

/** @param random in [0, 1), so that waiting events do not all come back at once */
export function throwFull(random: number): never {
  throw webhookQueued(Math.round(FULL_MEAN_MS * (0.5 + random)));
}

export function throwRefused(
  { attempts, attemptsReplayed }: ClaimedWebhook,
  { status, error, retryInMs }: WebhookAttempt,
): never {
  const number = attempts - attemptsReplayed + 1;
  throw webhookRefused(describe({ number, status, error }), retryInMs ?? 0);
}

function describe(last: MadeAttempt | null): string {
  if (last === null) return 'it is not due yet';
  const { number, status, error } = last;
  const what = error ?? `the endpoint answered ${String(status)}`;
  return `attempt ${String(number)} of ${String(WEBHOOK_WAITS_MS.length)}: ${what}`;
}
