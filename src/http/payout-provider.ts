// Port payout-provider over HTTP: `POST /payouts` with `Idempotency-Key`, `GET /payouts/{key}`
// (architecture, section 6). Whatever is not a clear answer is `unknown`: it is asked about again, never guessed.
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PROVIDER_ANSWER_MAX_BYTES } from '../domain/limits';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  PayoutQuestion,
} from '../ports/payout-provider';
import type { Outbound, OutboundReply, OutboundRequest } from './outbound';
import { isUnknownKey, payoutIn } from './provider-answer';

interface ProviderAddress {
  readonly baseUrl: string;
  readonly token: string;
}

export function createPayoutProvider(outbound: Outbound, address: ProviderAddress): PayoutProvider {
  const send = async (call: Call, read: (reply: OutboundReply) => PayoutOutcome) => {
    try {
      return read(await outbound.send(toRequest(address, call)));
    } catch (error) {
      return {
        outcome: 'unknown',
        cause: error instanceof Error ? error.message : 'no answer',
      } as const;
    }
  };
  return {
    pay: (order, isInTime) => send(orderCall(order, isInTime), (reply) => payoutIn(reply, order)),
    find: (question) =>
      send(questionCall(question), (reply) =>
        isUnknownKey(reply, question) ? { outcome: 'not_found' } : payoutIn(reply, question),
      ),
  };
}

function orderCall(order: PayoutOrder, isInTime: () => boolean): Call {
  const idempotencyKey = order.key;
  return { method: 'POST', path: '/payouts', idempotencyKey, body: toBody(order), isInTime };
}

function questionCall({ key }: PayoutQuestion): Call {
  return { method: 'GET', path: `/payouts/${encodeURIComponent(key)}` };
}

function toBody({ amountUsdCents, corridor, qrPayload }: PayoutOrder): object {
  return {
    amount_usd_cents: amountUsdCents,
    corridor,
    ...(qrPayload !== null && { qr_payload: qrPayload }),
  };
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly idempotencyKey?: string;
  readonly body?: object;
  readonly isInTime?: () => boolean;
}

function toRequest(address: ProviderAddress, call: Call): OutboundRequest {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return {
    method: call.method,
    url: `${address.baseUrl}${call.path}`,
    headers: {
      authorization: `Bearer ${address.token}`,
      accept: 'application/json',
      // A cache between must not answer for the provider.
      'cache-control': 'no-cache',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
    },
    ...(body !== undefined && { body }),
    ...(call.isInTime !== undefined && { isInTime: call.isInTime }),
    timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS,
    maxBytes: PROVIDER_ANSWER_MAX_BYTES,
  };
}
