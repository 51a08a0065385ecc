// The inquiry in our own protocol: `POST /quotes`. It moves no money.
import { z } from 'zod';
import { centsAtRate, isCostText, usdText, type LocalAmount } from '../../domain/money';
import { PAYOUT_ATTEMPT_TIMEOUT_MS } from '../../domain/payouts/limits';
import { FAILURE_CODES } from '../../domain/payouts/permissions';
import { parseRfc3339 } from '../../domain/rfc3339';
import type { OutboundReply } from '../../http/outbound';
import type { Inquiry, InquiryAnswer, InquiryRequest } from '../../ports/payout-provider';
import { isFromCache, jsonOf, memberIn, unclear } from '../exchange';

export function quoteCall({ corridor, amountUsdCents, qrPayload }: InquiryRequest) {
  const request = { corridor, amount_usd_cents: amountUsdCents, qr_payload: qrPayload };
  return {
    ...({ method: 'POST', path: '/quotes', timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS } as const),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  };
}

/** The payee's amount on the wire of our own protocol: a currency, and its minor units. */
export const localSchema = z
  .object({ currency: z.enum(['THB', 'VND']), amount: z.int().positive() })
  .transform(({ currency, amount }): LocalAmount => ({ currency, minor: amount }));

/** Payers read it: no control characters, and no more than a bank's 140 characters. */
const shownText = z.string().regex(/^\P{C}{1,140}$/u);
const QUOTE_ID = /^[\x21-\x7e]{1,256}$/;

/** Other members are ignored. */
const quoteSchema = z.object({
  quote_id: z.string().regex(QUOTE_ID),
  payee: z.object({
    name: shownText.nullable(),
    // An origin that is not listed counts for nothing.
    name_from: z.enum(['bank', 'code']).nullable().catch(null),
    bank: shownText.nullable().default(null),
  }),
  local: localSchema,
  rate: z.string().refine((text) => isCostText(text) && /[1-9]/.test(text)),
  expires_at: z
    .string()
    .transform((text) => parseRfc3339(text))
    .pipe(z.number()),
});

/** The message is for people. */
const refusalSchema = z.object({ error: z.enum(FAILURE_CODES) });

export const inquiryIn =
  (request: InquiryRequest) =>
  (reply: OutboundReply): InquiryAnswer => {
    if (isFromCache(reply)) return unclear('it comes from a cache');
    if (reply.status === 422) return refusalIn(reply);
    if (reply.status !== 200) return unclear(`it answered ${String(reply.status)}`);
    const answer = quoteSchema.safeParse(jsonOf(reply));
    if (!answer.success)
      return unclear(`its answer is not a quote in JSON${memberIn(answer.error)}`);
    return { outcome: 'quoted', inquiry: inquiryOf(answer.data, request) };
  };

/**
 * The provider takes the order's cents from our balance. What the amount in a code is worth at its
 * rate is compared with them: neither payer nor payee loses the difference.
 */
function inquiryOf(
  { quote_id: token, payee, local, rate, expires_at: expiresAtMs }: z.infer<typeof quoteSchema>,
  request: InquiryRequest,
): Inquiry {
  const cents = request.local === null ? request.amountUsdCents : centsAtRate(local, rate);
  return {
    payee:
      payee.name === null
        ? null
        : { name: payee.name, nameFrom: payee.name_from, bank: payee.bank },
    local,
    cost: { currency: 'USD', debited: usdText(cents), fee: null, rate },
    token,
    firmUntil: new Date(expiresAtMs),
  };
}

function refusalIn(reply: OutboundReply): InquiryAnswer {
  const answer = refusalSchema.safeParse(jsonOf(reply));
  if (!answer.success) return unclear('it answered 422');
  return { outcome: 'refused', code: answer.data.error };
}
