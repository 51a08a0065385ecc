// The payout. Rule: what may have been sent is asked about by key before anything is sent again
// (architecture, section 3).
import type { Corridor } from '../src/domain/corridor';
import { stepKey, type IntentId } from '../src/domain/ids';
import { PAYOUT_PENDING_ATTENTION_SECONDS, PAYOUT_SENT_WITHIN_SECONDS } from '../src/domain/limits';
import type { UsdCents } from '../src/domain/money';
import type { Clock } from '../src/ports/clock';
import type { PayoutJournal } from '../src/ports/payout-journal';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  PayoutQuestion,
} from '../src/ports/payout-provider';
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
  readonly clock: Clock;
  /** After this an unknown payout is left to operations. */
  readonly payoutUnknownSeconds: number;
}

export function createPayoutActivities(dependencies: PayoutDependencies): PayoutActivities {
  return {
    async payOut(request) {
      const { providers, payoutJournal, clock } = dependencies;
      const begunMs = clock.now().getTime();
      const provider = providers[request.corridor];
      const attempt = await payoutJournal.beginAttempt(request.intentId);
      if (attempt.kind === 'refused') return { outcome: 'not_authorized' };
      if (attempt.kind === 'closed')
        throw payoutUnknown('operations have it judged at this moment');
      // The code comes from the row and goes to the provider: histories and failures never hold it.
      const order = { ...questionOf(request), qrPayload: attempt.qrPayload };
      const pay = () => {
        requireInTime(clock.now().getTime() - begunMs);
        return provider.pay(order);
      };
      const isFirst = attempt.kind === 'first';
      const answer = isFirst ? await pay() : await askThenSend(provider, order, pay);
      const sinceFirstSeconds = request.isAttentionRaised ? 0 : attempt.sinceFirstMs / 1_000;
      return judge(answer, request, {
        isUnknownTooLong: sinceFirstSeconds >= dependencies.payoutUnknownSeconds,
        isPendingTooLong: sinceFirstSeconds >= PAYOUT_PENDING_ATTENTION_SECONDS,
      });
    },
  };
}

/** What the provider is asked about, by the key under which it was or will be sent. */
export function questionOf({
  intentId,
  amountUsdCents,
  corridor,
}: Omit<PayoutRequest, 'isAttentionRaised'>): PayoutQuestion {
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor };
}

async function askThenSend(
  provider: PayoutProvider,
  order: PayoutOrder,
  pay: () => Promise<PayoutOutcome>,
): Promise<PayoutOutcome> {
  const known = await provider.find(order);
  return known.outcome === 'not_found' ? pay() : known;
}

/**
 * A worker that was frozen between its record and its sending must not send: by now the attempt counts as over, another
 * may have been made, and operations may have declared the payout declined.
 */
function requireInTime(elapsedMs: number): void {
  if (elapsedMs <= PAYOUT_SENT_WITHIN_SECONDS * 1_000) return;
  throw payoutUnknown('the worker was held up before it sent anything');
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
