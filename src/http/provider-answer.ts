// Parses the answer of a payout provider (architecture, section 6). An answer counts only if it is
// certainly the provider's own and about this payout: complete, unambiguous JSON by its media type,
// with the right key. Any other answer may come from a gateway, proxy or cache: its outcome is
// `unknown` and the provider is queried again.
import { z } from 'zod';
import { AMOUNT_MAX_USD_CENTS, AMOUNT_MIN_USD_CENTS } from '../domain/limits';
import type { PayoutOutcome, PayoutQuestion } from '../ports/payouts/provider';
import { parseStrictJson } from '../strict-json';
import type { OutboundReply } from './outbound';

/** Other members are ignored. */
const payoutSchema = z.object({
  key: z.string(),
  status: z.enum(['paid', 'pending', 'declined']),
  amount_usd_cents: z.int().min(AMOUNT_MIN_USD_CENTS).max(AMOUNT_MAX_USD_CENTS),
});

/**
 * Exactly these members. **Danger: double payment.** This answer allows the order to be sent again
 * and the debit to be returned.
 */
const unknownKeySchema = z.strictObject({ error: z.literal('not_found'), key: z.string() });

/** Not 203, 204 or 206: such a response is altered, empty or partial. */
const STATUSES_WITH_PAYOUT = [200, 201, 202];

/** Reads the answer to an order or to a query by key. */
export function payoutIn(reply: OutboundReply, { key }: PayoutQuestion): PayoutOutcome {
  if (!STATUSES_WITH_PAYOUT.includes(reply.status)) {
    return unknownOutcome(`it answered ${String(reply.status)}`);
  }
  const answer = payoutSchema.safeParse(jsonOf(reply));
  if (!answer.success) return unknownOutcome('its answer is not a payout in JSON');
  if (answer.data.key !== key) return unknownOutcome('its answer is about another key');
  return { outcome: answer.data.status, amountUsdCents: answer.data.amount_usd_cents };
}

/**
 * Whether the provider says that it does not know the key. Valid only for the answer to a query by
 * key that does not come from a cache.
 */
export function isUnknownKey(reply: OutboundReply, { key }: PayoutQuestion): boolean {
  if (reply.status !== 404 || reply.headers['age'] !== undefined) return false;
  const answer = unknownKeySchema.safeParse(jsonOf(reply));
  return answer.success && answer.data.key === key;
}

/** @param why no outcome can be read from the answer */
function unknownOutcome(why: string): PayoutOutcome {
  return { outcome: 'unknown', cause: `The provider's answer is unclear: ${why}` };
}

const JSON_TYPE = /^application\/json[\t ]*(;|$)/i;

/** Undefined, which JSON cannot contain, unless the body is certainly JSON. */
function jsonOf({ headers, body, isCut }: OutboundReply): unknown {
  const type = headers['content-type'];
  if (isCut || typeof type !== 'string' || !JSON_TYPE.test(type)) return undefined;
  try {
    return parseStrictJson(body);
  } catch {
    return undefined;
  }
}
