// TransFi's QR payouts, version 3, for VietQR: `POST /v3/orders` with our key as `partnerId`, `GET
// /v3/orders/{id}` with the id of its answer. Built from public documents; what they leave open,
// and how it is read, is in docs/providers/transfi.md.
import { NEEDS_LOCAL } from '../../domain/payouts/adapters';
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PROVIDER_ANSWER_MAX_BYTES } from '../../domain/payouts/limits';
import type { Outbound, OutboundReply, OutboundRequest } from '../../http/outbound';
import type * as port from '../../ports/payout-provider';
import { COMMON_HEADERS, unknown, unknownIfFailed, type AccountAddress } from '../exchange';
import { isReference } from './answer';
import { readSignedCallback } from './callback';
import { readCredentials } from './credentials';
import { detailsBody, payeeIn, ratesPath, termsIn } from './inquiry';
import { orderBody, readFound, readOrdered } from './order';

/** The safe value wherever TransFi has guaranteed nothing in writing. */
const ABILITIES: port.Declared = {
  // Documented: a used partnerId makes no second order.
  repeat: 'refused',
  // TransFi is queried by its own id. The list of orders has no documented filter.
  findsByKey: false,
  ...{ notFoundIsProof: false, refusalIsFinal: false, declineIsFinal: false },
  ...{ needsLocal: NEEDS_LOCAL.transfi, confirmsLocal: true },
  // No status says that money came back, and no document rules it out. A bank returns a transfer
  // within days; a month leaves room for a dispute.
  askAfterPaidDays: 30,
};

type Unknown = Extract<port.PayoutOutcome, { outcome: 'unknown' }>;
type Call = Pick<OutboundRequest, 'method' | 'body' | 'isInTime' | 'timeoutMs'> & {
  readonly path: string;
};
/** A reader throws where the answer is unclear. */
type Send = <Answer>(
  call: Call,
  read: (reply: OutboundReply) => Answer,
) => Promise<Answer | Unknown>;

/**
 * @param address its token is the credentials as one line of JSON: see credentials.ts
 * @throws Error if the credentials are malformed; the message contains none of them
 */
export function createTransFiProvider(
  outbound: Outbound,
  { baseUrl, token }: AccountAddress,
): port.PayoutAdapter {
  const { headers, webhookSecret } = readCredentials(token);
  const send: Send = ({ path, ...call }, read) =>
    unknownIfFailed(async () => {
      const reply = await outbound.send({
        ...call,
        url: `${baseUrl}${path}`,
        headers: { ...COMMON_HEADERS, ...headers, ...(call.body !== undefined && JSON_BODY) },
        maxBytes: PROVIDER_ANSWER_MAX_BYTES,
      });
      return read(reply);
    });
  return {
    abilities: ABILITIES,
    pay: (order, limits) => pay(send, order, limits),
    find: (question) => find(send, question),
    inquire: (request) => inquire(send, request),
    readCallback: (given, body) => readSignedCallback(given, body, webhookSecret),
  };
}

const JSON_BODY = { 'content-type': 'application/json' };

/** Exactly one request, or none. */
async function pay(
  send: Send,
  order: port.PayoutOrder,
  limits: Pick<Call, 'isInTime' | 'timeoutMs'>,
): Promise<port.PayoutOutcome> {
  const body = orderBody(order);
  if (body === undefined) return unknown('not sent: TransFi needs a VietQR code and its dong');
  const call = { method: 'POST', path: '/v3/orders', body, ...limits } as const;
  return send(call, (reply) => readOrdered(reply, order));
}

async function find(send: Send, question: port.PayoutQuestion): Promise<port.QueryAnswer> {
  const { reference } = question;
  if (reference === null) return unknown('TransFi finds no order by our key, only by its own id');
  if (!isReference(reference)) return unknown('the reference is not an order id of TransFi');
  const timeoutMs = PAYOUT_ATTEMPT_TIMEOUT_MS;
  const call = { method: 'GET', path: `/v3/orders/${reference}`, timeoutMs } as const;
  return send(call, (reply) => readFound(reply, question));
}

/** Two requests. Without the second, the amount of the code is quoted without its cost. */
async function inquire(send: Send, request: port.InquiryRequest): Promise<port.InquiryAnswer> {
  if (request.corridor !== 'vn_qrpay') return unknown('TransFi is built for VietQR alone');
  const timeoutMs = PAYOUT_ATTEMPT_TIMEOUT_MS;
  const details = { method: 'POST', path: '/v3/qr-code/details', timeoutMs } as const;
  const rates = { method: 'GET', path: ratesPath(request), timeoutMs } as const;
  const [payee, terms] = await Promise.all([
    send({ ...details, body: detailsBody(request) }, (reply) => ({ payee: payeeIn(reply) })),
    send(rates, (reply) => termsIn(reply, request)),
  ]);
  if ('outcome' in payee) return payee;
  const { local, cost } = 'outcome' in terms ? { local: request.local, cost: null } : terms;
  if (local === null) return unknown('neither the code nor the rates say what the payee gets');
  const inquiry = { ...payee, local, cost, token: null, firmUntil: null };
  return { outcome: 'quoted', inquiry };
}
