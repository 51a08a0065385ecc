// The payout. Rule: after a request may have been sent, the provider is queried by key before
// another is sent. When the provider times out:
// 1. The provider's adapter answers `unknown`, after 3.5 s within a workflow task, else 5 s.
// 2. The next attempt queries by key. It sends again if the provider denies the key, 6 s have
//    passed since the last sending, and the row is neither accepted, locked nor stopped.
// 3. Otherwise the attempt fails, and Temporal retries after 0.5 to 10 s (workflows/steps.ts).
// 4. After PAYOUT_UNKNOWN_SECONDS (900) workflows/payout.ts raises attention. The queries go on, 10
//    to 60 s apart, without end: no timer fails the payment.
import type { PartnerId } from '../src/domain/ids';
import {
  PAYOUT_AT_ONCE_TIMEOUT_MS,
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PAYOUT_PENDING_ATTENTION_SECONDS,
  PAYOUT_SENDING_MAX_SECONDS,
  PAYOUT_SENT_WITHIN_MS,
} from '../src/domain/payouts/limits';
import type { Stopwatch } from '../src/ports/clock';
import type {
  BegunAttempt,
  PayoutAttempt,
  PayoutOutcome,
  SendingLimits,
} from '../src/ports/payouts';
import type { PaymentDependencies } from './dependencies';
import { payoutDelayed, payoutPending, payoutsStopped, payoutUnknown } from './failures';
import {
  decide,
  orderOf,
  questionOf,
  queryTwice,
  type Decision,
  type PayoutOfRow,
  type PayoutSubject,
} from './payout-decision';

interface AtOnceRequest extends PayoutOfRow {
  readonly partnerId: PartnerId;
}

export interface PayoutRequest extends AtOnceRequest {
  /**
   * Once attention is raised the activity queries until the outcome is known, and captures nothing:
   * an operator may be resolving the payment at the same time, so the workflow writes its status.
   */
  readonly isAttentionRaised: boolean;
  /** It may have been sent a moment ago, even if the rows say no: they may have been restored. */
  readonly mayHaveBeenSent: boolean;
}

/** The known outcome of a payout. `not_authorized`: the row allows none, and nothing was sent. */
export interface KnownPayout {
  readonly outcome: 'paid' | 'declined' | 'not_authorized';
}

/**
 * `unknown` and `pending` are returned once the payout needs attention. `stopped`: nothing was
 * sent, because all payouts are stopped (decision 127). Anybody with write access to Temporal can
 * complete the activity, so the workflow acts on what our rows say (decision 145).
 */
export type PayoutResult =
  | KnownPayout
  | Decided
  | { readonly outcome: 'unknown' | 'pending' }
  | { readonly outcome: 'stopped' };

/** `isEndpointFast`: the partner's endpoint has answered its last webhooks fast. */
type Decided = Decision & { readonly isEndpointFast: boolean };

/**
 * `not_sent`: this attempt sent nothing. `undecided`: it may have been sent, or the provider has
 * accepted it and says pending.
 */
export type AtOnceResult =
  Decided | { readonly outcome: 'not_sent' } | { readonly outcome: 'undecided' };

export interface UnpaidQuery extends PayoutSubject {
  /** Unique: no earlier answer counts as the answer to this query. */
  readonly queryId: string;
}

type PayoutDependencies = Pick<
  PaymentDependencies,
  | ('intents' | 'log' | 'providers' | 'payoutJournal' | 'startStopwatch')
  | ('payoutUnknownSeconds' | 'endpointSpeeds' | 'providerHealth' | 'pause')
>;

export function createPayoutActivities(dependencies: PayoutDependencies) {
  const { providerHealth, endpointSpeeds } = dependencies;
  return {
    /**
     * Sends without a query, as a local activity of the task that authorizes (decision 135). The
     * workflow calls it only where no earlier attempt can have sent the payout. If the outcome
     * stays undecided, `payOut` queries it.
     */
    async payOutAtOnce(request: AtOnceRequest): Promise<AtOnceResult> {
      const health = providerHealth[request.corridor];
      if (!health.takeTaskSlot()) return { outcome: 'not_sent' };
      try {
        return await sendFirst(request, dependencies);
      } finally {
        health.releaseTaskSlot();
      }
    },

    /**
     * Queries the provider, and sends if it does not know the key. Sends without a query where no
     * earlier request can have been made.
     * @throws PayoutUnknown, PayoutPending, PayoutDelayed or PayoutsStopped while the outcome is
     * open. All are retried. Before attention is raised, it returns `unknown` or `pending` when
     * attention is due.
     */
    async payOut(request: PayoutRequest): Promise<PayoutResult> {
      const { attempt, elapsedMs } = await beginAttempt(request, dependencies);
      if (attempt.kind !== 'begun') return resultWithoutAttempt(attempt.kind, request);
      const answer = await queryOrSend(request, attempt, dependencies);
      if (attempt.number === 1 && answer.outcome === 'unknown')
        providerHealth[request.corridor].recordUnanswered(attempt.payer);
      const mayCapture = !request.isAttentionRaised;
      const seen = { number: attempt.number, mayCapture, elapsedMs: elapsedMs() };
      const decision = await decide(answer, request, seen, dependencies);
      if (decision !== undefined)
        return { ...decision, isEndpointFast: endpointSpeeds.isFast(request.partnerId) };
      // Once attention is raised, the activity queries without a limit.
      const waitedSeconds = request.isAttentionRaised ? 0 : attempt.sinceFirstMs / 1_000;
      return undecided(answer, waitedSeconds, dependencies);
    },

    /** Whether the provider does not know the key, or has declined. If so, the row says so too. */
    isKnownUnpaid: (query: UnpaidQuery): Promise<boolean> => queryUnpaid(query, dependencies),
  };
}

/** Silence proves nothing. */
async function queryUnpaid(
  { queryId, ...payout }: UnpaidQuery,
  dependencies: PayoutDependencies,
): Promise<boolean> {
  const answer = await queryTwice(payout, dependencies);
  const isUnpaid =
    answer.outcome === 'not_found' ||
    (answer.outcome === 'declined' && answer.amountUsdCents === payout.amountUsdCents);
  if (isUnpaid) await dependencies.payoutJournal.recordUnpaid(payout.intentId, queryId);
  return isUnpaid;
}

async function sendFirst(
  request: AtOnceRequest,
  dependencies: PayoutDependencies,
): Promise<AtOnceResult> {
  const { payoutJournal, startStopwatch, providers, endpointSpeeds } = dependencies;
  const health = dependencies.providerHealth[request.corridor];
  const elapsedMs = startStopwatch();
  const sending = await payoutJournal.recordFirstSending(request.intentId, request);
  if (sending === undefined) return { outcome: 'not_sent' };
  const limits = limitsOf(elapsedMs, PAYOUT_AT_ONCE_TIMEOUT_MS);
  const answer = await providers[request.corridor].pay(orderOf(request, sending), limits);
  if (answer.outcome === 'unknown') health.recordUnanswered(sending.payer);
  const seen = { number: 1, mayCapture: true, elapsedMs: elapsedMs() };
  const decision = await decide(answer, request, seen, dependencies);
  if (decision === undefined) return { outcome: 'undecided' };
  return { ...decision, isEndpointFast: endpointSpeeds.isFast(request.partnerId) };
}

/**
 * While the provider's breaker is open, a payout that has not begun waits here for a while: it has
 * a slot of its corridor, and costs neither Temporal nor Postgres anything.
 */
async function beginAttempt(
  request: PayoutRequest,
  { payoutJournal, providerHealth, startStopwatch }: PayoutDependencies,
) {
  const health = providerHealth[request.corridor];
  const begin = async (mayBegin: boolean) => {
    const elapsedMs = startStopwatch();
    const attempt = await payoutJournal.beginAttempt(request.intentId, request, mayBegin);
    return { attempt, elapsedMs };
  };
  const first = await begin(!health.isBreakerOpen());
  const isDelayed = first.attempt.kind === 'delayed';
  return isDelayed && (await health.untilLetThrough(first.elapsedMs)) ? begin(true) : first;
}

/**
 * The result when no attempt was begun.
 * @throws PayoutUnknown, PayoutDelayed or PayoutsStopped to be retried
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
    case 'delayed':
      throw payoutDelayed();
    case 'stopped':
      if (isAttentionRaised) throw payoutsStopped();
      return { outcome: 'stopped' };
  }
}

/**
 * "Unknown key" permits a request only if no earlier one could still arrive when the query was
 * made.
 */
async function queryOrSend(
  request: PayoutRequest,
  attempt: BegunAttempt,
  { providers, payoutJournal, startStopwatch }: PayoutDependencies,
): Promise<PayoutOutcome> {
  const provider = providers[request.corridor];
  const isFirst = attempt.isFirst && !request.mayHaveBeenSent;
  const known = isFirst ? NOT_SENT : await provider.find(questionOf(request));
  if (known.outcome !== 'not_found' || !attempt.isQuiet || isTooSoon(request, attempt))
    return known;
  const elapsedMs = startStopwatch();
  const sending = await payoutJournal.recordSending(request.intentId, attempt.number, request);
  if (sending === undefined) return known;
  const limits = limitsOf(elapsedMs, PAYOUT_ATTEMPT_TIMEOUT_MS);
  return provider.pay(orderOf(request, sending), limits);
}

/** A worker that froze after its record must not send: others count that request as over. */
function limitsOf(elapsedMs: Stopwatch, timeoutMs: number): SendingLimits {
  return { isInTime: () => elapsedMs() <= PAYOUT_SENT_WITHIN_MS, timeoutMs };
}

/** Where no request can have been made, this is what a query would be answered. */
const NOT_SENT: PayoutOutcome = { outcome: 'not_found' };

/** A request that restored rows do not know may still be on its way. */
function isTooSoon({ mayHaveBeenSent }: PayoutRequest, { sinceFirstMs }: BegunAttempt): boolean {
  return mayHaveBeenSent && sinceFirstMs < PAYOUT_SENDING_MAX_SECONDS * 1_000;
}

/** A throw makes Temporal query again; a returned result makes the workflow raise attention. */
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
