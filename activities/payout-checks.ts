// What is checked before an order in the payee's currency is sent: the payee's amount, and what it
// would cost (decision 154). The inquiry moves no money and may be repeated.
import type { LocalAmount } from '../src/domain/money';
import { PASSING_CODES, permissionsOf } from '../src/domain/payouts/permissions';
import {
  checkTerms,
  failed,
  open,
  PASSED,
  type CostBounds,
  type OrderCheck,
} from '../src/domain/payouts/terms';
import type { InquiryAnswer, PayoutProvider } from '../src/ports/payout-provider';
import type { BegunAttempt } from '../src/ports/payouts';
import type { PaymentDependencies } from './dependencies';
import type { PayoutSubject } from './payout-decision';

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
