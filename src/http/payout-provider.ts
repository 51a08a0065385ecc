// Port payout-provider over HTTP: `POST /payouts` with `Idempotency-Key`, `GET /payouts/{key}`
// (architecture, section 6). Whatever is not a clear answer is `unknown`: it is asked about again, never guessed.
import { z } from 'zod';
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PROVIDER_ANSWER_MAX_BYTES } from '../domain/limits';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  PayoutQuestion,
} from '../ports/payout-provider';
import type { Outbound, OutboundReply, OutboundRequest } from './outbound';

interface ProviderAddress {
  readonly baseUrl: string;
  readonly token: string;
}

const answerSchema = z.object({
  key: z.string(),
  status: z.enum(['paid', 'pending', 'declined']),
  amount_usd_cents: z.int(),
});

export function createPayoutProvider(outbound: Outbound, address: ProviderAddress): PayoutProvider {
  const ask = async (order: PayoutQuestion, call: Call): Promise<PayoutOutcome> => {
    try {
      const reply = await outbound.send(toRequest(address, call));
      return toOutcome(reply, order);
    } catch (error) {
      return { outcome: 'unknown', cause: error instanceof Error ? error.message : 'no answer' };
    }
  };
  return {
    async pay(order) {
      const outcome = await ask(order, {
        method: 'POST',
        path: '/payouts',
        idempotencyKey: order.key,
        body: toBody(order),
      });
      // Only a question by key may be told "no such payout".
      return outcome.outcome === 'not_found'
        ? unknown('it answered 404 to a payout order')
        : outcome;
    },
    find: (order) =>
      ask(order, { method: 'GET', path: `/payouts/${encodeURIComponent(order.key)}` }),
  };
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
}

function toRequest(address: ProviderAddress, call: Call): OutboundRequest {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return {
    method: call.method,
    url: `${address.baseUrl}${call.path}`,
    headers: {
      authorization: `Bearer ${address.token}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
    },
    ...(body !== undefined && { body }),
    timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS,
    maxBytes: PROVIDER_ANSWER_MAX_BYTES,
  };
}

function toOutcome(reply: OutboundReply, order: PayoutQuestion): PayoutOutcome {
  if (reply.status === 404) return { outcome: 'not_found' };
  if (reply.status < 200 || reply.status > 299)
    return unknown(`it answered ${String(reply.status)}`);
  const answer = answerSchema.safeParse(parseJson(reply));
  if (!answer.success || answer.data.key !== order.key) return unknown('its answer makes no sense');
  return { outcome: answer.data.status, amountUsdCents: answer.data.amount_usd_cents };
}

function parseJson(reply: OutboundReply): unknown {
  if (reply.isCut) return undefined;
  try {
    return JSON.parse(reply.body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function unknown(what: string): PayoutOutcome {
  return { outcome: 'unknown', cause: `The provider did not tell: ${what}` };
}
