// A provider that speaks our own protocol (architecture, section 6): `POST /payouts` with
// `Idempotency-Key`, `GET /payouts/{key}`.
import { z } from 'zod';
import {
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PROVIDER_ANSWER_MAX_BYTES,
  PROVIDER_REFERENCE_MAX_CHARACTERS,
} from '../../domain/payouts/limits';
import { faultOfJsonType } from '../../domain/media-type';
import { isUsdCents, type UsdCents } from '../../domain/money';
import { FAILURE_CODES } from '../../domain/payouts/permissions';
import type {
  Declared,
  PayoutAdapter,
  PayoutOrder,
  PayoutOutcome,
  PayoutQuestion,
  QueryAnswer,
} from '../../ports/payout-provider';
import { parseStrictJson } from '../../signing/strict-json';
import type { Outbound, OutboundReply, OutboundRequest } from '../../http/outbound';

interface ProviderAddress {
  readonly baseUrl: string;
  readonly token: string;
}

/** What our own protocol demands of a provider. */
const ABILITIES: Declared = {
  repeat: 'same',
  findsByKey: true,
  notFoundIsProof: true,
  refusalIsFinal: true,
  declineIsFinal: true,
  needsLocal: false,
  confirmsLocal: true,
  askAfterPaidDays: 30,
};

export function createHttpProvider(
  outbound: Outbound,
  { baseUrl, token }: ProviderAddress,
): PayoutAdapter {
  const send = async <Answer extends PayoutOutcome>(
    { path, headers, ...call }: Call,
    read: (reply: OutboundReply) => Answer,
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

const codeSchema = z.enum(FAILURE_CODES);

/** Other members are ignored. */
const payoutSchema = z.object({
  key: z.string(),
  status: z.enum(['paid', 'pending', 'declined', 'returned']),
  amount_usd_cents: z.custom<UsdCents>(isUsdCents),
  reference: z.string().min(1).max(PROVIDER_REFERENCE_MAX_CHARACTERS).nullable().default(null),
  local: z
    .object({ currency: z.enum(['THB', 'VND']), amount: z.int().positive() })
    .transform(({ currency, amount }) => ({ currency, minor: amount }))
    .nullable()
    .default(null),
  // It permits nothing, so one that is not listed does not make the answer unreadable.
  code: codeSchema.catch('other'),
});

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
    return unknownOutcome(`it answered ${String(reply.status)}`);
  }
  const answer = payoutSchema.safeParse(jsonOf(reply));
  if (!answer.success) return unknownOutcome('its answer is not a payout in JSON');
  if (answer.data.key !== question.key) return unknownOutcome('its answer is about another key');
  return outcomeOf(answer.data, question);
}

/** Our protocol has no costs: an order of cents costs its cents. */
const FACTS = { cost: null, bankReference: null };

/** A payment may be in another amount; a payout that is not paid is then another one. */
function outcomeOf(
  { status, amount_usd_cents: cents, reference, local, code }: z.infer<typeof payoutSchema>,
  { amountUsdCents }: PayoutQuestion,
): QueryAnswer {
  if (status === 'paid' || status === 'returned')
    return { outcome: status, facts: { ...FACTS, reference, local, orderedUsdCents: cents } };
  if (cents !== amountUsdCents) return unknownOutcome('it is about another amount');
  if (status === 'pending') return { outcome: status, reference };
  return { outcome: status, reference, code };
}

/** This request made no order. Every other 4xx is `unknown`. */
function refusalIn(reply: OutboundReply, { key }: PayoutOrder): PayoutOutcome | undefined {
  if (reply.status !== 422 || reply.headers['age'] !== undefined) return undefined;
  const answer = refusalSchema.safeParse(jsonOf(reply));
  if (!answer.success || answer.data.key !== key) return undefined;
  return { outcome: 'refused', code: answer.data.error };
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
function unknownOutcome(why: string) {
  return { outcome: 'unknown', cause: `The provider's answer is unclear: ${why}` } as const;
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
