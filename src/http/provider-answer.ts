// What the answer of a payout provider says (architecture, section 6). It counts only if it is certainly the provider's own, about
// this payout: JSON by its media type, whole, readable in one way only, with the key that was asked. A gateway, a proxy or a cache
// between may answer too, and what it says is unknown: the provider is asked again.
import { z } from 'zod';
import { AMOUNT_MAX_USD_CENTS, AMOUNT_MIN_USD_CENTS } from '../domain/limits';
import type { PayoutOutcome, PayoutQuestion } from '../ports/payouts/provider';
import { parseStrictJson } from '../strict-json';
import type { OutboundReply } from './outbound';

/** Further members are ignored. */
const payoutSchema = z.object({
  key: z.string(),
  status: z.enum(['paid', 'pending', 'declined']),
  amount_usd_cents: z.int().min(AMOUNT_MIN_USD_CENTS).max(AMOUNT_MAX_USD_CENTS),
});

/** Exactly these members: this answer permits to send the order again, and to give the debit back. */
const unknownKeySchema = z.strictObject({ error: z.literal('not_found'), key: z.string() });

/** 203, 204 and 206 are no whole answers of the provider's own. */
const WITH_A_PAYOUT = [200, 201, 202];

/** Of an answer to a question by key, or to an order. */
export function payoutIn(reply: OutboundReply, { key }: PayoutQuestion): PayoutOutcome {
  if (!WITH_A_PAYOUT.includes(reply.status)) {
    return unknownOutcome(`it answered ${String(reply.status)}`);
  }
  const answer = payoutSchema.safeParse(jsonOf(reply));
  if (!answer.success) return unknownOutcome('its answer is not a payout in JSON');
  if (answer.data.key !== key) return unknownOutcome('its answer is about another key');
  return { outcome: answer.data.status, amountUsdCents: answer.data.amount_usd_cents };
}

/** Whether it says that the provider does not know the key. Only an answer to a question by key may say so, and no cache. */
export function isUnknownKey(reply: OutboundReply, { key }: PayoutQuestion): boolean {
  if (reply.status !== 404 || reply.headers['age'] !== undefined) return false;
  const answer = unknownKeySchema.safeParse(jsonOf(reply));
  return answer.success && answer.data.key === key;
}

/** @param what the provider did instead of telling */
function unknownOutcome(what: string): PayoutOutcome {
  return { outcome: 'unknown', cause: `The provider did not tell: ${what}` };
}

const JSON_TYPE = /^application\/json[\t ]*(;|$)/i;

/** Undefined, which no JSON holds, where it is not certainly JSON. Several media types come as a list. */
function jsonOf({ headers, body, isCut }: OutboundReply): unknown {
  const type = headers['content-type'];
  if (isCut || typeof type !== 'string' || !JSON_TYPE.test(type)) return undefined;
  try {
    return parseStrictJson(body);
  } catch {
    return undefined;
  }
}
