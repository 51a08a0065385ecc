// An order, TransFi's answer to it, and its answer to a query by reference. The table of
// docs/providers/transfi.md is the whole mapping. Each reader throws if the outcome is unknown.
import { z } from 'zod';
import { localText, type LocalAmount } from '../../domain/money';
import { PROVIDER_REFERENCE_MAX_CHARACTERS } from '../../domain/payouts/limits';
import type { OutboundReply } from '../../http/outbound';
import type * as port from '../../ports/payout-provider';
import {
  codesIn,
  isRejection,
  isSuccess,
  membersIn,
  orderIn,
  unclear,
  type Members,
} from './answer';
import { costOf, isSameLocal, localOf } from './money';

/** Undefined if the order cannot be sent: it lacks the code or the amount in dong. */
export function orderBody({ key, corridor, local, qrPayload }: port.PayoutOrder) {
  const isPayable = corridor === 'vn_qrpay' && local?.currency === 'VND' && qrPayload !== null;
  if (!isPayable) return undefined;
  const destination = { currency: 'VND', amount: localText(local), qrCode: qrPayload };
  return JSON.stringify({ orderType: 'payout', partnerId: key, destination });
}

/** Reads the direct answer to an order. It may leave our key out. */
export function readOrdered(reply: OutboundReply, { key }: port.PayoutOrder): port.PayoutOutcome {
  const answer = membersIn(reply);
  const { reference, members } = orderIn(answer);
  const names = [answer['partnerId'], members['partnerId']];
  if (names.some((name) => (name ?? key) !== key)) throw unclear('it is about another key');
  if (isUsed(reply, answer, members)) return { outcome: 'duplicate' };
  if (reference !== null && isSuccess(reply)) return { outcome: 'pending', reference };
  // An order beside this code contradicts that there is none.
  const isRefused = reference === null && isRejection(reply);
  if (isRefused && codesIn(answer).includes('ENHANCED_KYC_REQUIRED')) {
    return { outcome: 'refused', code: 'compliance' };
  }
  throw unclear(`it answered ${String(reply.status)}, no order and no known code`);
}

/** A new order has not failed yet: a failed one is the order that this key had before. */
function isUsed(reply: OutboundReply, answer: Members, { status }: Members): boolean {
  const isSaid = codesIn(answer).includes('PARTNER_ID_ALREADY_USED');
  return (isSuccess(reply) || isRejection(reply)) && (isSaid || status === 'fund_failed');
}

/** Other members make an answer unreadable only where it needs them. */
const orderSchema = z.looseObject({
  partnerId: z.string(),
  status: z.string(),
  bankTxnId: z
    .union([z.string(), z.array(z.string())])
    .transform(String)
    .pipe(z.string().min(1).max(PROVIDER_REFERENCE_MAX_CHARACTERS))
    .nullable()
    .catch(null),
});

/** Reads the answer to a query by reference. It must name our key and that reference. */
export function readFound(reply: OutboundReply, question: port.PayoutQuestion): port.QueryAnswer {
  const { reference, members } = orderIn(isSuccess(reply) ? membersIn(reply) : {});
  const { data } = orderSchema.safeParse(members);
  if (data === undefined) throw unclear(`it answered ${String(reply.status)} without an order`);
  if (data.partnerId !== question.key) throw unclear('it is about another key');
  if (reference !== question.reference) throw unclear('it is about another order');
  const local = localOf(data['destination']);
  if (data.status !== 'fund_settled') return unpaidIn(data.status, local, question);
  if (local === null) throw unclear('it settled an amount that is unreadable');
  const ids = { reference, bankReference: data.bankTxnId, orderedUsdCents: null };
  return { outcome: 'paid', facts: { ...ids, local, cost: costOf(data) } };
}

function unpaidIn(
  status: string,
  local: LocalAmount | null,
  { local: ordered, reference }: port.PayoutQuestion,
): port.QueryAnswer {
  const isOther = local !== null && ordered !== null && !isSameLocal(local, ordered);
  if (isOther) throw unclear('it is unpaid and about another amount');
  switch (status) {
    case 'initiated':
    case 'fund_processing':
      return { outcome: 'pending', reference };
    case 'fund_failed':
      return { outcome: 'declined', code: 'other', reference };
    default:
      throw unclear('its status is not one of a QR payout');
  }
}
