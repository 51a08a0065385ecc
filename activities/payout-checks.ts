// What is checked before an order in the payee's currency is sent: the payee's amount, and what it
// would cost (decision 154). The inquiry moves no money and may be repeated.
import { costInCents, type LocalAmount } from '../src/domain/money';
import { PASSING_CODES, permissionsOf, type FailureCode } from '../src/domain/payouts/permissions';
import type { Inquiry, InquiryAnswer, PayoutProvider } from '../src/ports/payout-provider';
import type { BegunAttempt } from '../src/ports/payouts';
import type { CostBounds, PaymentDependencies } from './dependencies';
import type { PayoutSubject } from './payout-decision';

/** `failed`: the order must not be sent. `open`: nor now, but perhaps by the next attempt. */
export type OrderCheck =
  | { readonly verdict: 'passed' }
  | { readonly verdict: 'failed'; readonly code: FailureCode }
  | { readonly verdict: 'open'; readonly cause: string };

const PASSED: OrderCheck = { verdict: 'passed' };
const failed = (code: FailureCode): OrderCheck => ({ verdict: 'failed', code });
const open = (cause: string): OrderCheck => ({ verdict: 'open', cause });

/**
 * An order in cents needs no check: it costs its cents. No inquiry is made where no answer to the
 * query could permit the order.
 */
export async function checkOrder(
  payout: PayoutSubject,
  attempt: BegunAttempt,
  provider: PayoutProvider,
  { costBounds }: Pick<PaymentDependencies, 'costBounds'>,
): Promise<OrderCheck> {
  const { needsLocal, ...abilities } = provider.abilities;
  if (!needsLocal) return PASSED;
  if (!permissionsOf('not_found', attempt.record, abilities).send)
    return open('it may not be sent');
  const { local } = attempt.order;
  const bounds = costBounds[payout.corridor](payout.amountUsdCents);
  // A payer's confirm for such a provider has both (api/intents/payable.ts), an operator's neither.
  if (attempt.qrPayload === null || local === null) return failed('payee_unknown');
  const request = { ...payout, qrPayload: attempt.qrPayload, local };
  const answer = await provider.inquire?.(request);
  return answer === undefined ? open('the cost cannot be inquired') : read(answer, local, bounds);
}

function read(answer: InquiryAnswer, ordered: LocalAmount, bounds: CostBounds): OrderCheck {
  switch (answer.outcome) {
    case 'unknown':
      return open(answer.cause);
    case 'refused':
      // `other` may be our own configuration.
      return [...PASSING_CODES, 'other'].includes(answer.code)
        ? open(`the provider refuses: ${answer.code}`)
        : failed(answer.code);
    case 'quoted':
      return checkTerms(answer.inquiry, ordered, bounds);
  }
}

function checkTerms(
  { local, cost }: Inquiry,
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
