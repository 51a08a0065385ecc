// The payout. Rule: what may have been sent is queried by key before anything is sent again (architecture, section 3).
import type { PartnerId } from '../src/domain/ids';
import {
  PAYOUT_AT_ONCE_TIMEOUT_MS,
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PAYOUT_PENDING_ATTENTION_SECONDS,
  PAYOUT_SENDING_MAX_SECONDS,
  PAYOUT_SENT_WITHIN_MS,
} from '../src/domain/limits';
import type { Stopwatch } from '../src/ports/clock';
import type { PayoutAttempt, PayoutSending } from '../src/ports/payouts/journal';
import type { PayoutOutcome, SendingLimits } from '../src/ports/payouts/provider';
import type { PaymentDependencies } from './dependencies';
import { payoutPending, payoutsStopped, payoutUnknown } from './failures';
import { decide, type Decision } from './payout-decision';
import { questionOf, type PayoutOfRow, type PayoutSubject } from './payout-subject';

export interface PayoutRequest extends PayoutOfRow {
  /**
   * Once attention is raised the activity queries until the outcome is known, and writes no capture: an operator may be
   * deciding the payment at the same time, so the workflow writes how it ends.
   */
  readonly isAttentionRaised: boolean;
  /** It may have been sent a moment ago, whatever the rows say: they may have been restored. */
  readonly mayHaveBeenSent: boolean;
}

/** How the payout ended. `not_authorized`: the row allows none and nothing was sent. */
export type KnownPayout =
  | Extract<Decision, { readonly outcome: 'paid' | 'declined' }>
  | { readonly outcome: 'not_authorized' };

/**
 * `unknown` and `pending` are returned only when timeout is over, so that the workflow raises attention. `stopped`:
 * nothing was begun, since all payouts are stopped (decision 127).
 */
export type PayoutResult =
  | KnownPayout
  | Decision
  | { readonly outcome: 'unknown' | 'pending' }
  | { readonly outcome: 'stopped' };

export interface AtOnceRequest extends PayoutOfRow {
  readonly partnerId: PartnerId;
}

/** `isEndpointFast`: the partner's endpoint has taken its last webhooks at once. */
interface Decided {
  readonly isEndpointFast: boolean;
}

/** `not_sent`: this attempt sent nothing. `undecided`: it may have been sent, or the provider has it and says pending. */
export type AtOnceResult =
  (Decision & Decided) | { readonly outcome: 'not_sent' } | { readonly outcome: 'undecided' };

type PayoutDependencies = Pick<
  PaymentDependencies,
  | ('intents' | 'log' | 'providers' | 'payoutJournal' | 'startStopwatch')
  | ('payoutUnknownSeconds' | 'endpointSpeeds')
>;

export function createPayoutActivities(dependencies: PayoutDependencies) {
  const { providers, payoutJournal, startStopwatch, endpointSpeeds } = dependencies;
  return {
    /**
     * Sends without a query: a local activity of the task that authorizes the payment (decision 135). The workflow calls it only
     * where no earlier attempt at that task can have sent the payout. What it leaves undecided, `payOut` queries.
     */
    async payOutAtOnce(request: AtOnceRequest): Promise<AtOnceResult> {
      const elapsedMs = startStopwatch();
      const sending = await payoutJournal.recordFirstSending(request.intentId, request);
      if (sending === undefined) return { outcome: 'not_sent' };
      const limits = limitsOf(elapsedMs, PAYOUT_AT_ONCE_TIMEOUT_MS);
      const answer = await providers[request.corridor].pay(orderOf(request, sending), limits);
      const seen = { isAccepted: false, mayCapture: true, elapsedMs: elapsedMs() };
      const decision = await decide(answer, request, seen, dependencies);
      if (decision === undefined) return { outcome: 'undecided' };
      return { ...decision, isEndpointFast: endpointSpeeds.isFast(request.partnerId) };
    },

    /**
     * Queries the provider, and sends where it does not know the payout.
     * @throws PayoutUnknown or PayoutPending while timeout lasts; PayoutsStopped while a stop does, once attention is raised. All are retried.
     */
    async payOut(request: PayoutRequest): Promise<PayoutResult> {
      const elapsedMs = startStopwatch();
      const attempt = await payoutJournal.beginAttempt(request.intentId, request);
      if (attempt.kind !== 'begun') return resultWithoutAttempt(attempt.kind, request);
      const answer = await queryOrSend(request, attempt, dependencies);
      const mayCapture = !request.isAttentionRaised;
      const seen = { isAccepted: attempt.isAccepted, mayCapture, elapsedMs: elapsedMs() };
      const decision = await decide(answer, request, seen, dependencies);
      if (decision !== undefined) return decision;
      // Once attention is raised the activity queries for as long as it takes.
      const waitedSeconds = request.isAttentionRaised ? 0 : attempt.sinceFirstMs / 1_000;
      return undecided(answer, waitedSeconds, dependencies);
    },

    /** Whether the provider says that it has no such payout, or has declined this amount. Its silence says nothing. */
    async isKnownUnpaid(payout: PayoutSubject): Promise<boolean> {
      const answer = await providers[payout.corridor].find(questionOf(payout));
      if (answer.outcome === 'not_found') return true;
      return answer.outcome === 'declined' && answer.amountUsdCents === payout.amountUsdCents;
    },
  };
}

/**
 * The result when no attempt was begun.
 * @throws PayoutUnknown or PayoutsStopped to be retried
 */
function resultWithoutAttempt(
  kind: Exclude<PayoutAttempt['kind'], 'begun'>,
  { isAttentionRaised }: PayoutRequest,
): PayoutResult {
  switch (kind) {
    case 'not_payable':
      return { outcome: 'not_authorized' };
    case 'locked':
      throw payoutUnknown('an operator’s decision about it is being verified');
    case 'stopped':
      if (isAttentionRaised) throw payoutsStopped();
      return { outcome: 'stopped' };
  }
}

/** "Unknown key" permits a sending only where the query came after every earlier sending had ended. */
async function queryOrSend(
  request: PayoutRequest,
  attempt: PayoutAttempt,
  { providers, payoutJournal, startStopwatch }: PayoutDependencies,
): Promise<PayoutOutcome> {
  const provider = providers[request.corridor];
  const known = await provider.find(questionOf(request));
  if (known.outcome !== 'not_found' || !attempt.isQuiet || isTooSoon(request, attempt))
    return known;
  const elapsedMs = startStopwatch();
  const sending = await payoutJournal.recordSending(request.intentId, attempt.number, request);
  if (sending === undefined) return known;
  return provider.pay(orderOf(request, sending), limitsOf(elapsedMs, PAYOUT_ATTEMPT_TIMEOUT_MS));
}

/** A worker that was frozen between its record and its sending must not send: the sending counts as over by then. */
function limitsOf(elapsedMs: Stopwatch, timeoutMs: number): SendingLimits {
  return { isInTime: () => elapsedMs() <= PAYOUT_SENT_WITHIN_MS, timeoutMs };
}

/** A sending that the rows have forgotten may still be on its way. */
function isTooSoon({ mayHaveBeenSent }: PayoutRequest, { sinceFirstMs }: PayoutAttempt): boolean {
  return mayHaveBeenSent && sinceFirstMs < PAYOUT_SENDING_MAX_SECONDS * 1_000;
}

/** The code comes from the row and goes to the provider: histories and failures never hold it. */
function orderOf(request: PayoutSubject, { qrPayload }: PayoutSending) {
  return { ...questionOf(request), qrPayload };
}

/** Throwing has Temporal query again; returning has the workflow raise attention. */
function undecided(
  answer: PayoutOutcome,
  waitedSeconds: number,
  { payoutUnknownSeconds }: PayoutDependencies,
): PayoutResult {
  if (answer.outcome === 'pending') {
    if (waitedSeconds >= PAYOUT_PENDING_ATTENTION_SECONDS) return { outcome: 'pending' };
    throw payoutPending('the provider says it is pending');
  }
  if (waitedSeconds >= payoutUnknownSeconds) return { outcome: 'unknown' };
  throw payoutUnknown(answer.outcome === 'unknown' ? answer.cause : 'the order is not known to it');
}
