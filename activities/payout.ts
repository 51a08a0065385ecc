// The payout. Rule: after a request may have been sent, the provider is queried by key before
// another is sent. When the provider times out:
// 1. The provider's adapter answers `unknown`, after 3.5 s within a workflow task, else 5 s.
// 2. The next attempt queries by key. It sends again if the answer permits that
//    (src/domain/payouts/permissions.ts), and the row is neither locked nor stopped.
// 3. Otherwise the attempt fails, and Temporal retries after 0.5 to 10 s (workflows/steps.ts).
// 4. After PAYOUT_UNKNOWN_SECONDS (900) workflows/payout.ts raises attention. The queries go on, 10
//    to 60 s apart, without end: no timer fails the payment.
import {
  PAYOUT_AT_ONCE_TIMEOUT_MS,
  PAYOUT_PENDING_ATTENTION_SECONDS,
} from '../src/domain/payouts/limits';
import { FORGOTTEN, permissionsOf, type PayoutRecord } from '../src/domain/payouts/permissions';
import type { PayoutOutcome } from '../src/ports/payout-provider';
import type { BegunAttempt, PayoutAttempt } from '../src/ports/payouts';
import type { PaymentDependencies } from './dependencies';
import { payoutDelayed, payoutPending, payoutsStopped, payoutUnknown } from './failures';
import {
  decide,
  orderOf,
  queryTwice,
  type Answered,
  type Decision,
  type PayoutSubject,
} from './payout-decision';
import {
  beginAttempt,
  answerOf,
  limitsOf,
  newTermsOf,
  queryOrSend,
  readAnswer,
  type AtOnceRequest,
  type PayoutRequest,
} from './payout-sending';

/** The known outcome of a payout. `not_authorized`: the row allows none, and nothing was sent. */
export interface KnownPayout {
  readonly outcome: 'paid' | 'declined' | 'not_authorized';
}

/**
 * `unknown` and `pending` are returned once the payout needs attention; `isUnsent`: no order can
 * have been sent, so that one may be once the provider answers. `stopped`: nothing was sent,
 * because all payouts are stopped (decision 127). Anybody with write access to Temporal can
 * complete the activity, so the workflow acts on what our rows say (decision 145).
 */
export type PayoutResult =
  | KnownPayout
  | Decided
  | { readonly outcome: 'unknown' | 'pending'; readonly isUnsent: boolean }
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
  | ('formerProviders' | 'costBounds' | 'paidAskedAfterSeconds' | 'hashPayer')
  | ('payoutUnknownSeconds' | 'endpointSpeeds' | 'providerHealth' | 'pause')
>;

export function createPayoutActivities(dependencies: PayoutDependencies) {
  const { providerHealth, endpointSpeeds, providers } = dependencies;
  return {
    /**
     * Sends without a query, as a local activity of the task that authorizes (decision 135). The
     * workflow calls it only where no earlier attempt can have sent the payout. If the outcome
     * stays undecided, `payOut` queries it.
     */
    async payOutAtOnce(request: AtOnceRequest): Promise<AtOnceResult> {
      const health = providerHealth[request.corridor];
      // Its order needs an inquiry first, and a task has no time for both.
      const { needsLocal } = providers[request.corridor].abilities;
      if (needsLocal || !health.takeTaskSlot()) return { outcome: 'not_sent' };
      try {
        return await sendFirst(request, dependencies);
      } finally {
        health.releaseTaskSlot();
      }
    },

    /**
     * Queries the provider, and sends if its answer permits that. Sends without a query where no
     * earlier request can have been made.
     * @throws PayoutUnknown, PayoutPending, PayoutDelayed or PayoutsStopped while the outcome is
     * open. All are retried. Before attention is raised, it returns `unknown` or `pending` when
     * attention is due.
     */
    async payOut(request: PayoutRequest): Promise<PayoutResult> {
      const { attempt, elapsedMs } = await beginAttempt(request, dependencies);
      if (attempt.kind !== 'begun') return resultWithoutAttempt(attempt.kind, request);
      const answered = await queryOrSend(request, attempt, dependencies);
      const { answer, answerTo } = answered;
      if (attempt.number === 1 && answer.outcome === 'unknown' && answerTo !== 'inquiry')
        providerHealth[request.corridor].recordUnanswered(attempt.payer);
      const { number, record } = attempt;
      const mayCapture = !request.isAttentionRaised;
      const { refusedAs } = record;
      const seen = { ...answered, number, mayCapture, refusedAs, elapsedMs: elapsedMs() };
      const decision = await decide(seen, request, dependencies);
      if (decision !== undefined)
        return { ...decision, isEndpointFast: endpointSpeeds.isFast(request.partnerId) };
      return undecided(answered, request, attempt, dependencies);
    },

    /** Whether the provider's answer permits to release the debit. If so, the row says so too. */
    isKnownUnpaid: (query: UnpaidQuery): Promise<boolean> => queryUnpaid(query, dependencies),
  };
}

/** Silence proves nothing. */
async function queryUnpaid(
  { queryId, ...payout }: UnpaidQuery,
  dependencies: PayoutDependencies,
): Promise<boolean> {
  const order = await dependencies.payoutJournal.readOrder(payout.intentId);
  const { answer, abilities } = await queryTwice({ ...payout, order }, dependencies);
  const isUnpaid = permissionsOf(answer.outcome, FORGOTTEN, abilities).release;
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
  const fixed = newTermsOf(request, dependencies);
  const sending = await payoutJournal.recordFirstSending(request.intentId, request, fixed);
  if (sending === undefined) return { outcome: 'not_sent' };
  const limits = limitsOf(elapsedMs, PAYOUT_AT_ONCE_TIMEOUT_MS);
  const provider = providers[request.corridor];
  const answer = await provider.pay(orderOf(request, sending, dependencies), limits);
  if (answer.outcome === 'unknown') health.recordUnanswered(sending.payer);
  const { local } = sending.order;
  const answered = readAnswer({ ...answerOf(provider), answer }, FORGOTTEN, local);
  const seen = {
    ...answered,
    number: 1,
    mayCapture: true,
    refusedAs: null,
    elapsedMs: elapsedMs(),
  };
  const decision = await decide(seen, request, dependencies);
  if (decision === undefined) return { outcome: 'undecided' };
  return { ...decision, isEndpointFast: endpointSpeeds.isFast(request.partnerId) };
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

/** Whether the provider may have been sent an order by an earlier attempt. */
function mayHaveRequest({ mayHaveBeenSent }: PayoutRequest, record: PayoutRecord): boolean {
  return mayHaveBeenSent || record.mayBeForgotten || record.isAccepted || record.requests > 0;
}

/** A throw makes Temporal query again; a returned result makes the workflow raise attention. */
function undecided(
  { answer, answerTo }: Answered,
  request: PayoutRequest,
  { sinceFirstMs, record }: BegunAttempt,
  { payoutUnknownSeconds }: PayoutDependencies,
): PayoutResult {
  const isAccepted = ['pending', 'duplicate'].includes(answer.outcome);
  const outcome = isAccepted ? 'pending' : 'unknown';
  const attentionSeconds = isAccepted ? PAYOUT_PENDING_ATTENTION_SECONDS : payoutUnknownSeconds;
  // Once attention is raised, the activity queries without a limit.
  if (request.isAttentionRaised || sinceFirstMs < attentionSeconds * 1_000)
    throw (isAccepted ? payoutPending : payoutUnknown)(sentenceOf(answer));
  const mayBeSent = isAccepted || answerTo === 'order' || mayHaveRequest(request, record);
  return { outcome, isUnsent: !mayBeSent };
}

function sentenceOf(answer: PayoutOutcome): string {
  if (answer.outcome === 'unknown') return answer.cause;
  if (answer.outcome === 'not_found') return 'the order is not known to it';
  const why = 'code' in answer ? `: ${answer.code}` : '';
  return `the provider says ${answer.outcome}${why}`;
}
