// What a scanned code would pay and cost. The members of both answers are not documented: a member
// that is not exactly as expected here is left out of the quote, and never guessed.
import { z } from 'zod';
import { costInCents, localText, usdText } from '../../domain/money';
import type { OutboundReply } from '../../http/outbound';
import type { Inquiry, InquiryRequest } from '../../ports/payout-provider';
import { isSuccess, membersIn, membersOf, unclear } from './answer';
import { costOf, isSameLocal, localOf } from './money';

export const detailsBody = ({ qrPayload }: InquiryRequest): string =>
  JSON.stringify({ qrCode: qrPayload, country: 'VN' });

/** Requests the cost of the code's amount, or what the cents buy. */
export function ratesPath({ local, amountUsdCents }: InquiryRequest): string {
  const query = new URLSearchParams({ sourceCurrency: 'USD', destinationCurrency: 'VND' });
  if (local === null) query.set('sourceAmount', usdText(amountUsdCents));
  else query.set('destinationAmount', localText(local));
  return `/v3/exchange-rates?${query.toString()}`;
}

const name = z.string().min(1).max(140);
const payeeSchema = z.object({ accountName: name, bankName: name.nullable().catch(null) });

/** Whether the name is the bank's or the code's is not documented. */
export function payeeIn(reply: OutboundReply): Inquiry['payee'] {
  const { data } = payeeSchema.safeParse(offerIn(reply));
  return data ? { name: data.accountName, nameFrom: null, bank: data.bankName } : null;
}

/** The rates count only if they repeat the amount of the request. */
export function termsIn(
  reply: OutboundReply,
  { local, amountUsdCents }: InquiryRequest,
): Pick<Inquiry, 'local' | 'cost'> {
  const offer = offerIn(reply);
  const [cost, bought] = [costOf(offer), localOf(roundedDown(offer['destination']))];
  if (local !== null) return { local, cost: isSameLocal(bought, local) ? cost : null };
  const spent = costOf({ source: offer['source'], fees: '0' });
  const isRepeated = spent !== null && costInCents(spent) === amountUsdCents;
  return isRepeated ? { local: bought, cost } : { local: null, cost: null };
}

function offerIn(reply: OutboundReply) {
  const answer = membersIn(reply);
  if (!isSuccess(reply)) throw unclear(`it answered ${String(reply.status)}`);
  return { ...answer, ...membersOf(answer['data']) };
}

/** To whole dong, so that the payee's amount never costs more than the cents. */
function roundedDown(destination: unknown): unknown {
  const { amount, currency } = membersOf(destination);
  if (typeof amount !== 'string' || currency !== 'VND') return undefined;
  return { currency, amount: amount.replace(/\.\d{1,18}$/, '') };
}
