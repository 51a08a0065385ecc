// Port payout-provider over HTTP: `POST /payouts` with `Idempotency-Key`, `GET /payouts/{key}`
// (architecture, section 6). Any unclear answer is `unknown`: the provider is queried again, and
// the outcome is never guessed.
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PROVIDER_ANSWER_MAX_BYTES } from '../domain/limits';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  PayoutQuestion,
} from '../ports/payouts/provider';
import type { Outbound, OutboundReply, OutboundRequest } from './outbound';
import { isUnknownKey, payoutIn } from './provider-answer';

interface ProviderAddress {
  readonly baseUrl: string;
  readonly token: string;
}

export function createPayoutProvider(
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
          // A cache on the way must not answer instead of the provider.
          'cache-control': 'no-cache',
          ...headers,
        },
        maxBytes: PROVIDER_ANSWER_MAX_BYTES,
      });
      return read(reply);
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
