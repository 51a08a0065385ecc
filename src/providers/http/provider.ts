// A provider that speaks our own protocol (architecture, section 6): `POST /payouts` with
// `Idempotency-Key`, `GET /payouts/{key}`, and `POST /quotes` in inquiry.ts.
import { z } from 'zod';
import { NEEDS_LOCAL } from '../../domain/payouts/adapters';
import {
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PROVIDER_ANSWER_MAX_BYTES,
  PROVIDER_REFERENCE_MAX_CHARACTERS,
} from '../../domain/payouts/limits';
import { isUsdCents, type UsdCents } from '../../domain/money';
import { FAILURE_CODES } from '../../domain/payouts/permissions';
import type {
  CallbackHeaders,
  Declared,
  InquiryAnswer,
  PayoutAdapter,
  PayoutOrder,
  PayoutOutcome,
  PayoutQuestion,
  QueryAnswer,
} from '../../ports/payout-provider';
import type { Outbound, OutboundReply, OutboundRequest } from '../../http/outbound';
import { isHmacSha256Hex } from '../../signing/hmac';
import {
  COMMON_HEADERS,
  isFromCache,
  isPlain,
  jsonOf,
  memberIn,
  unclear,
  unknownIfFailed,
  type AccountAddress,
} from '../exchange';
import { inquiryIn, localSchema, quoteCall } from './inquiry';

/** What our own protocol demands of a provider. */
const ABILITIES: Declared = {
  repeat: 'same',
  findsByKey: true,
  notFoundIsProof: true,
  refusalIsFinal: true,
  declineIsFinal: true,
  needsLocal: NEEDS_LOCAL.http,
  confirmsLocal: true,
  askAfterPaidDays: 30,
};

export function createHttpProvider(
  outbound: Outbound,
  { baseUrl, token }: AccountAddress,
): Required<PayoutAdapter> {
  const send = <Answer extends PayoutOutcome | InquiryAnswer>(
    { path, headers, ...call }: Call,
    read: (reply: OutboundReply) => Answer,
  ) =>
    unknownIfFailed(async () => {
      const reply = await outbound.send({
        ...call,
        url: `${baseUrl}${path}`,
        headers: { authorization: `Bearer ${token}`, ...COMMON_HEADERS, ...headers },
        maxBytes: PROVIDER_ANSWER_MAX_BYTES,
      });
      return isPlain(reply) ? read(reply) : unclear('it has a Content-Encoding');
    });
  return {
    abilities: ABILITIES,
    pay: (order, limits) =>
      send<PayoutOutcome>(
        { ...orderCall(order), ...limits },
        (reply) => refusalIn(reply, order) ?? payoutIn(reply, order),
      ),
    find: (question) =>
      send<QueryAnswer>(queryCall(question), (reply) =>
        isUnknownKey(reply, question) ? { outcome: 'not_found' } : payoutIn(reply, question),
      ),
    inquire: (request) => send<InquiryAnswer>(quoteCall(request), inquiryIn(request)),
    readCallback: (headers, body) => hintIn(headers, Buffer.from(body), token),
  };
}

interface Call extends Omit<OutboundRequest, 'url' | 'maxBytes'> {
  readonly path: string;
}

function queryCall({ key }: PayoutQuestion): Call {
  const path = `/payouts/${encodeURIComponent(key)}`;
  return { method: 'GET', path, timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS };
}

function orderCall({ key, ...order }: PayoutOrder): Omit<Call, 'timeoutMs'> {
  return {
    method: 'POST',
    path: '/payouts',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(bodyOf(order)),
  };
}

/** A member that the order does not have is left out. */
function bodyOf({ amountUsdCents, corridor, qrPayload, token, local }: Omit<PayoutOrder, 'key'>) {
  return {
    ...{ amount_usd_cents: amountUsdCents, corridor },
    ...(qrPayload === null ? {} : { qr_payload: qrPayload }),
    ...(token === null ? {} : { quote_id: token }),
    ...(local === null ? {} : { local: { currency: local.currency, amount: local.minor } }),
  };
}

const codeSchema = z.enum(FAILURE_CODES);

/** Other members are ignored. */
const payoutSchema = z.object({
  key: z.string(),
  status: z.enum(['paid', 'pending', 'declined', 'returned']),
  amount_usd_cents: z.custom<UsdCents>(isUsdCents),
  reference: z.string().min(1).max(PROVIDER_REFERENCE_MAX_CHARACTERS).nullable().default(null),
  local: localSchema.nullable().default(null),
  // It permits nothing, so one that is not listed does not make the answer unreadable.
  code: codeSchema.catch('other'),
});

const hintSchema = payoutSchema.pick({ key: true, reference: true });

function hintIn(headers: CallbackHeaders, body: Buffer, token: string) {
  if (!isHmacSha256Hex(headers['callback-signature'], body, token)) return undefined;
  return hintSchema.safeParse(jsonOf({ headers, body, isCut: false })).data;
}

/** The message is for people. */
const refusalSchema = z.object({ error: codeSchema, key: z.string() });

/**
 * Exactly these members. **Danger: double payment.** This answer allows the order to be sent again
 * and the debit to be returned.
 */
const unknownKeySchema = z.strictObject({ error: z.literal('not_found'), key: z.string() });

/** Not 203, 204 or 206: such a response is altered, empty or partial. */
const STATUSES_WITH_PAYOUT = [200, 201, 202];

/** Reads the answer to an order or to a query by key. */
function payoutIn(reply: OutboundReply, question: PayoutQuestion): QueryAnswer {
  if (!STATUSES_WITH_PAYOUT.includes(reply.status)) {
    return unclear(`it answered ${String(reply.status)}`);
  }
  const answer = payoutSchema.safeParse(jsonOf(reply));
  if (!answer.success)
    return unclear(`its answer is not a payout in JSON${memberIn(answer.error)}`);
  if (answer.data.key !== question.key) return unclear('its answer is about another key');
  return outcomeOf(answer.data, question);
}

/** Our protocol does not say them. */
const UNSAID = { cost: null, bankReference: null } as const;

/** A payment may be in another amount; a payout that is not paid is then another one. */
function outcomeOf(
  { status, amount_usd_cents: cents, reference, local, code }: z.infer<typeof payoutSchema>,
  { amountUsdCents }: PayoutQuestion,
): QueryAnswer {
  if (status === 'paid' || status === 'returned')
    return { outcome: status, facts: { reference, local, orderedUsdCents: cents, ...UNSAID } };
  if (cents !== amountUsdCents) return unclear('it is about another amount');
  if (status === 'pending') return { outcome: status, reference };
  return { outcome: status, reference, code };
}

/** This request made no order. Every other 4xx is `unknown`. */
function refusalIn(reply: OutboundReply, { key }: PayoutOrder): PayoutOutcome | undefined {
  if (reply.status !== 422 || isFromCache(reply)) return undefined;
  const answer = refusalSchema.safeParse(jsonOf(reply));
  if (!answer.success || answer.data.key !== key) return undefined;
  return { outcome: 'refused', code: answer.data.error };
}

/**
 * Whether the provider says that it does not know the key. Valid only for the answer to a query by
 * key that does not come from a cache.
 */
function isUnknownKey(reply: OutboundReply, { key }: PayoutQuestion): boolean {
  if (reply.status !== 404 || isFromCache(reply)) return false;
  const answer = unknownKeySchema.safeParse(jsonOf(reply));
  return answer.success && answer.data.key === key;
}
