// Whether the terms that a provider offers are those of the order, and cost what a payout may
// (decision 154).
import { costInCents, type Cost, type LocalAmount } from '../money';
import type { FailureCode } from './permissions';

/** What the payout of an amount may cost. */
export interface CostBounds {
  readonly minUsdCents: number;
  readonly maxUsdCents: number;
}

/** `failed`: the order must not be sent. `open`: nor now, but perhaps by the next attempt. */
export type OrderCheck =
  | { readonly verdict: 'passed' }
  | { readonly verdict: 'failed'; readonly code: FailureCode }
  | { readonly verdict: 'open'; readonly cause: string };

export const PASSED: OrderCheck = { verdict: 'passed' };
export const failed = (code: FailureCode): OrderCheck => ({ verdict: 'failed', code });
export const open = (cause: string): OrderCheck => ({ verdict: 'open', cause });

interface Offer {
  readonly local: LocalAmount | null;
  readonly cost: Cost | null;
}

export function checkTerms(
  { local, cost }: Offer,
  ordered: LocalAmount,
  { minUsdCents, maxUsdCents }: CostBounds,
): OrderCheck {
  if (local === null) return open('the provider does not repeat the amount');
  const isSame = local.currency === ordered.currency && local.minor === ordered.minor;
  if (!isSame) return failed('amount_differs');
  if (cost === null) return open('the provider does not say what it costs');
  const cents = costInCents(cost);
  return cents < minUsdCents || cents > maxUsdCents ? failed('rate_expired') : PASSED;
}
