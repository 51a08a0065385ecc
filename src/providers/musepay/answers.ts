// What MusePay's answers mean for a payment. Whatever is not listed here is unclear: undefined.
import { z } from 'zod';
import { addCosts, isCostText, readLocal } from '../../domain/money';
import type { FailureCode } from '../../domain/payouts/permissions';
import type { OutboundReply } from '../../http/outbound';
import type { Inquiry, PayoutOutcome, QueryAnswer } from '../../ports/payout-provider';
import { answerIn, type Answer } from './messages';

/** The last five are faults of our configuration. */
const REFUSALS: ReadonlyMap<string, FailureCode> = new Map([
  ['202203', 'insufficient_balance'],
  ['202206', 'below_limit'],
  ['202212', 'below_limit'],
  ['5004', 'compliance'],
  ...['406', '412', '7002', '202211', '2204002'].map((code) => [code, 'other'] as const),
]);
const DOUBLE_PAYMENT = '202224';
const ORDER_NOT_EXIST = '7000';

/** Never paid or declined: only a query says that. */
export function submitOutcomeIn(reply: OutboundReply, ourId: string): PayoutOutcome | undefined {
  const answer = answerIn(reply);
  if (answer?.code === DOUBLE_PAYMENT) return { outcome: 'duplicate' };
  const order = successIn(reply, answer);
  if (order === undefined) return refusalIn(answer);
  const { request_id, reference } = order;
  const isOurs = (request_id ?? ourId) === ourId;
  return isOurs && reference !== null ? { outcome: 'pending', reference } : undefined;
}

function successIn({ status }: OutboundReply, answer: Answer | undefined) {
  return status === 200 && answer?.code === '200' ? (answer.data ?? undefined) : undefined;
}

function refusalIn(answer: Answer | undefined) {
  const code = REFUSALS.get(answer?.code ?? '');
  return code && isWithoutOrder(answer) ? ({ outcome: 'refused', code } as const) : undefined;
}

/** An error that names an order contradicts itself. */
function isWithoutOrder(answer: Answer | undefined): boolean {
  return (answer?.data?.request_id ?? answer?.data?.reference ?? null) === null;
}

/** Decimal digits, or nothing. One with an exponent makes the answer unreadable. */
const isAmount = (said: string) => said === '' || isCostText(said);
const amountText = z.string().refine(isAmount).nullish();
type Amount = z.infer<typeof amountText>;
const text = z.string().max(128).nullish();
const nullable = (said: Amount) => (said === '' ? null : (said ?? null));

/** Without 88, "cancelled or rejected": no document says whether the payee was paid. */
const orderSchema = z.object({
  ...{ status: z.enum(['11', '22', '44', '99']), currency: text },
  ...{ order_amount: amountText, fee_amount: amountText },
});

export function queryAnswerIn(reply: OutboundReply, ourId: string): QueryAnswer | undefined {
  const answer = answerIn(reply);
  // **Danger: double payment.** A denial counts only from a server that is not failing.
  const isDenied = answer?.code === ORDER_NOT_EXIST && reply.status < 500;
  if (isDenied && isWithoutOrder(answer)) return { outcome: 'not_found' };
  const order = successIn(reply, answer);
  return order?.request_id === ourId ? stateOf(order, order.reference) : undefined;
}

function stateOf(data: unknown, reference: string | null): QueryAnswer | undefined {
  const { data: order } = orderSchema.safeParse(data);
  if (order === undefined) return undefined;
  if (order.status === '44') return { outcome: 'declined', code: 'other', reference };
  if (order.status !== '99') return { outcome: 'pending', reference };
  const cost = order.currency === 'USDT' ? costOf(order) : null;
  const notSaid = { orderedUsdCents: null, local: null, bankReference: null };
  return { outcome: 'paid', facts: { reference, cost, ...notSaid } };
}

/** The fee counts on top. If MusePay takes it out of the amount, the payment costs less. */
function costOf({ order_amount: order, fee_amount: fee }: Record<string, Amount>, rate?: Amount) {
  if (!order || !fee) return null;
  const debited = addCosts([order, fee]);
  if (!isCostText(debited)) throw new RangeError('The cost has too many digits.');
  return { currency: 'USDT', debited, fee, rate: nullable(rate) } as const;
}

const inquirySchema = z
  .object({
    ...{ amount: amountText, currency: text, exchange_rate: amountText },
    ...{ order_amount: amountText, order_currency: text },
    ...{ fee_amount: amountText, fee_currency: text },
    ...{ beneficiary_name: text, bank_name: text },
  })
  .transform((said): Inquiry | undefined => {
    const isUsdt = said.order_currency === 'USDT' && said.fee_currency === 'USDT';
    const cost = isUsdt ? costOf(said, said.exchange_rate) : null;
    const { beneficiary_name: name, bank_name } = said;
    // No document says whether the name is the bank's.
    const payee = name ? { name, nameFrom: null, bank: nullable(bank_name) } : null;
    const local = said.amount ? bahtIn(said.amount, said.currency) : null;
    return local === undefined ? local : { payee, local, cost, token: null, firmUntil: null };
  });

const bahtIn = (amount: string, currency: unknown) =>
  currency === 'THB' ? readLocal('THB', amount) : undefined;

export function inquiryAnswerIn(reply: OutboundReply) {
  const answer = answerIn(reply);
  const data = successIn(reply, answer);
  if (data === undefined) return refusalIn(answer);
  const { data: inquiry } = inquirySchema.safeParse(data);
  return inquiry && ({ outcome: 'quoted', inquiry } as const);
}
