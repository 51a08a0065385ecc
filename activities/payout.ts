// The payout. Rule: what may have been sent is asked about by key before anything is sent again
// (architecture, section 3).
import type { Corridor } from '../src/domain/corridor';
import { stepKey, type IntentId } from '../src/domain/ids';
import { PAYOUT_PENDING_ATTENTION_SECONDS } from '../src/domain/limits';
import type { UsdCents } from '../src/domain/money';
import type { PayoutJournal } from '../src/ports/payout-journal';
import type { PayoutOrder, PayoutOutcome, PayoutProvider } from '../src/ports/payout-provider';
import { payoutPending, payoutUnknown } from './failures';

export interface PayoutRequest {
  readonly intentId: IntentId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  /** Once operations have been told there is nothing more to return: it is asked about until it is known. */
  readonly isAttentionRaised: boolean;
}

/**
 * `unknown` and `pending` are returned only when patience is over, so that the workflow tells operations. `contrary`:
 * the provider names another amount. `not_authorized`: the row allows no payout and nothing was sent.
 */
export type PayoutResult =
  | { readonly outcome: 'paid' | 'declined' | 'unknown' | 'pending' | 'not_authorized' }
  | { readonly outcome: 'contrary'; readonly reportedUsdCents: number };

export interface PayoutActivities {
  /** @throws PayoutUnknown or PayoutPending while patience lasts: both to be retried. */
  payOut(request: PayoutRequest): Promise<PayoutResult>;
}

export interface PayoutDependencies {
  readonly providers: Readonly<Record<Corridor, PayoutProvider>>;
  readonly payoutJournal: PayoutJournal;
  /** After this an unknown payout is left to operations. */
  readonly payoutUnknownSeconds: number;
}

export function createPayoutActivities(dependencies: PayoutDependencies): PayoutActivities {
  return {
    async payOut(request) {
      const { providers, payoutJournal } = dependencies;
      const provider = providers[request.corridor];
      const order = orderOf(request);
      const attempt = await payoutJournal.beginAttempt(request.intentId);
      if (attempt.kind === 'refused') return { outcome: 'not_authorized' };
      const isFirst = attempt.kind === 'first';
      const answer = isFirst ? await provider.pay(order) : await askThenSend(provider, order);
      const sinceFirstSeconds = request.isAttentionRaised ? 0 : attempt.sinceFirstMs / 1_000;
      return judge(answer, request, {
        isUnknownTooLong: sinceFirstSeconds >= dependencies.payoutUnknownSeconds,
        isPendingTooLong: sinceFirstSeconds >= PAYOUT_PENDING_ATTENTION_SECONDS,
      });
    },
  };
}

function orderOf({ intentId, amountUsdCents, corridor }: PayoutRequest): PayoutOrder {
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor };
}

async function askThenSend(provider: PayoutProvider, order: PayoutOrder): Promise<PayoutOutcome> {
  const known = await provider.find(order);
  return known.outcome === 'not_found' ? provider.pay(order) : known;
}

interface Patience {
  readonly isUnknownTooLong: boolean;
  readonly isPendingTooLong: boolean;
}

function judge(answer: PayoutOutcome, request: PayoutRequest, patience: Patience): PayoutResult {
  switch (answer.outcome) {
    case 'not_found':
      return waitOrTell('unknown', patience.isUnknownTooLong, 'the order is not known to it');
    case 'unknown':
      return waitOrTell('unknown', patience.isUnknownTooLong, answer.cause);
    case 'pending':
      return waitOrTell('pending', patience.isPendingTooLong, 'the provider says it is pending');
    case 'paid':
    case 'declined':
      if (answer.amountUsdCents === request.amountUsdCents) return { outcome: answer.outcome };
      return { outcome: 'contrary', reportedUsdCents: answer.amountUsdCents };
  }
}

/** Throwing has Temporal ask again; returning has the workflow tell operations. */
function waitOrTell(
  outcome: 'unknown' | 'pending',
  isTooLong: boolean,
  cause: string,
): PayoutResult {
  if (isTooLong) return { outcome };
  throw outcome === 'unknown' ? payoutUnknown(cause) : payoutPending(cause);
}
