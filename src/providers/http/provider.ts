// A provider that speaks our own protocol (architecture, section 6): `POST /payouts` with
// `Idempotency-Key`, `GET /payouts/{key}`.
import { z } from 'zod';
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PROVIDER_ANSWER_MAX_BYTES } from '../../domain/payouts/limits';
import { faultOfJsonType } from '../../domain/media-type';
import { isUsdCents, type UsdCents } from '../../domain/money';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  PayoutQuestion,
} from '../../ports/payouts';
import { parseStrictJson } from '../../signing/strict-json';
import type { Outbound, OutboundReply, OutboundRequest } from '../../http/outbound';

interface ProviderAddress {
  readonly baseUrl: string;
  readonly token: string;
}

export function createHttpProvider(
  outbound: Outbound,
  { baseUrl, token }: ProviderAddress,
): PayoutProvider {
  const send = async (
    { path, headers, ...call }: Call,
    read: (reply: OutboundReply) => PayoutOutcome,
  ) => {
    try {
      const reply = await outbound.send({
        ...call,
        url: `${baseUrl}${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'accept-encoding': 'identity',
          // A cache on the way must not answer instead of the provider.
          'cache-control': 'no-cache',
          ...headers,
        },
        maxBytes: PROVIDER_ANSWER_MAX_BYTES,
      });
      // Not requested, so something between the provider and us has changed the answer.
      const isPlain = /^identity$/i.test(String(reply.headers['content-encoding'] ?? 'identity'));
      return isPlain ? read(reply) : unknownOutcome('it has a Content-Encoding');
    } catch (error) {
      return {
        outcome: 'unknown',
        cause: error instanceof Error ? error.message : 'no answer',
      } as const;
    }
  };
  return {
    pay: (order, limits) =>
      send({ ...orderCall(order), ...limits }, (reply) => payoutIn(reply, order)),
    find: (question) =>
      send(queryCall(question), (reply) =>
        isUnknownKey(reply, question) ? { outcome: 'not_found' } : payoutIn(reply, question),
      ),
  };
}

interface Call extends Omit<OutboundRequest, 'url' | 'maxBytes'> {
  readonly path: string;
}

function queryCall({ key }: PayoutQuestion): Call {
  const path = `/payouts/${encodeURIComponent(key)}`;
  return { method: 'GET', path, timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS };
}

function orderCall({
  key,
  amountUsdCents,
  corridor,
  qrPayload,
}: PayoutOrder): Omit<Call, 'timeoutMs'> {
  const order = { amount_usd_cents: amountUsdCents, corridor };
  return {
    method: 'POST',
    path: '/payouts',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(qrPayload === null ? order : { ...order, qr_payload: qrPayload }),
  };
}

/** Other members are ignored. */
const payoutSchema = z.object({
  key: z.string(),
  status: z.enum(['paid', 'pending', 'declined']),
  amount_usd_cents: z.custom<UsdCents>(isUsdCents),
});

/**
 * Exactly these members. **Danger: double payment.** This answer allows the order to be sent again
 * and the debit to be returned.
 */
const unknownKeySchema = z.strictObject({ error: z.literal('not_found'), key: z.string() });

/** Not 203, 204 or 206: such a response is altered, empty or partial. */
const STATUSES_WITH_PAYOUT = [200, 201, 202];

/** Reads the answer to an order or to a query by key. */
function payoutIn(reply: OutboundReply, { key }: PayoutQuestion): PayoutOutcome {
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
function isUnknownKey(reply: OutboundReply, { key }: PayoutQuestion): boolean {
  if (reply.status !== 404 || reply.headers['age'] !== undefined) return false;
  const answer = unknownKeySchema.safeParse(jsonOf(reply));
  return answer.success && answer.data.key === key;
}

/** @param why no outcome can be read from the answer */
function unknownOutcome(why: string): PayoutOutcome {
  return { outcome: 'unknown', cause: `The provider's answer is unclear: ${why}` };
}

/** Undefined, which JSON cannot contain, unless the body is certainly JSON. */
function jsonOf({ headers, body, isCut }: OutboundReply): unknown {
  const type = headers['content-type'];
  if (isCut || typeof type !== 'string' || faultOfJsonType(type) !== undefined) return undefined;
  try {
    return parseStrictJson(body);
  } catch {
    return undefined;
  }
}
