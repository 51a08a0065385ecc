// What the payee of a new order gets, or why the order is refused: by its code, its quote and the
// local amount that it repeats.
import type { FailureCode } from '../../domain/payouts/permissions';
import { parseQrPayload } from '../../domain/qr/payload';
import { isQrRejection } from '../../domain/qr/rejection';
import { isSameLocal, localFor, type WireLocal } from './local-amounts';
import type { PayoutRequest } from './orders';
import { amountIn, type Quotes } from './quotes';

export type Terms = { readonly local: WireLocal } | { readonly refused: FailureCode };

export function termsOf(request: PayoutRequest, quotes: Quotes): Terms {
  const fixed = fixedBy(request, quotes);
  if ('refused' in fixed) return fixed;
  const differs = request.local !== null && !isSameLocal(request.local, fixed.local);
  return differs ? { refused: 'amount_differs' } : fixed;
}

function fixedBy(request: PayoutRequest, quotes: Quotes): Terms {
  const { corridor, amountUsdCents, qrPayload, quoteId } = request;
  const code = qrPayload === null ? undefined : parseQrPayload(qrPayload, corridor);
  if (code !== undefined && isQrRejection(code)) return { refused: 'payee_unknown' };
  if (quoteId !== null) return quotedTerms(quoteId, request, quotes);
  const inCode = code === undefined ? undefined : amountIn(code);
  return { local: inCode ?? localFor(corridor, amountUsdCents) };
}

/** A quote is of a code, so an order without one has another quote. */
function quotedTerms(quoteId: string, request: PayoutRequest, quotes: Quotes): Terms {
  const { qrPayload } = request;
  const local = qrPayload === null ? undefined : quotes.localOf(quoteId, { ...request, qrPayload });
  return local === undefined ? { refused: 'rate_expired' } : { local };
}
