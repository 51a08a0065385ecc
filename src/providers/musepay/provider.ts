// MusePay ScanPay: pays a scanned PromptPay code in baht from a balance in USDT. Built from public
// documents; docs/providers/musepay.md lists what they leave open.
import { randomUUID } from 'node:crypto';
import { NEEDS_LOCAL } from '../../domain/payouts/adapters';
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PROVIDER_ANSWER_MAX_BYTES } from '../../domain/payouts/limits';
import type { Outbound, OutboundReply } from '../../http/outbound';
import type { Declared, PayoutAdapter, SendingLimits } from '../../ports/payout-provider';
import {
  COMMON_HEADERS,
  unclear,
  unknown,
  unknownIfFailed,
  type AccountAddress,
} from '../exchange';
import { inquiryAnswerIn, queryAnswerIn, submitOutcomeIn } from './answers';
import { readCredentials, type Credentials } from './credentials';
import { answerIn, hintIn } from './messages';
import { inquiryMembers, orderMembers, requestIdOf } from './requests';
import { signatureOf, type Members } from './signature';

/** The safe values: no document promises more. */
const ABILITIES: Declared = {
  ...({ repeat: 'unsafe', findsByKey: true, notFoundIsProof: false } as const),
  ...{ refusalIsFinal: false, declineIsFinal: false, needsLocal: NEEDS_LOCAL.musepay },
  confirmsLocal: false,
  // No document says for how long a success may be revoked. A month covers a monthly settlement.
  askAfterPaidDays: 30,
};

const HEADERS = { 'content-type': 'application/json', ...COMMON_HEADERS };
const CALL = { method: 'POST', headers: HEADERS, maxBytes: PROVIDER_ANSWER_MAX_BYTES } as const;
const QUERY_LIMITS = { timeoutMs: PAYOUT_ATTEMPT_TIMEOUT_MS };

/**
 * @param nowMs milliseconds since 1970: MusePay rejects a request whose time is not the present
 * @throws ConfigError if the credentials, which are in `token`, are malformed
 */
export function createMusePayProvider(
  outbound: Outbound,
  { baseUrl, token }: AccountAddress,
  // eslint-disable-next-line no-restricted-properties -- the registry has no clock for an adapter
  nowMs: () => number = Date.now,
): PayoutAdapter {
  const credentials = readCredentials(token);
  const { partner_id, provider_public_key, notify_url } = credentials;
  const send = <Result>(
    [path, members]: readonly [path: string, members: Members],
    limits: Partial<SendingLimits> & { readonly timeoutMs: number },
    read: (reply: OutboundReply) => Result | undefined,
  ) =>
    unknownIfFailed(async () => {
      const body = signedBody(members, credentials, nowMs());
      const reply = await outbound.send({ ...CALL, ...limits, url: `${baseUrl}${path}`, body });
      return read(reply) ?? unreadable(reply);
    });
  return {
    abilities: ABILITIES,
    async pay(order, limits) {
      const members = orderMembers(order);
      // `refused` and not `unknown`: nothing was sent, so this request certainly made no order.
      if (members === undefined) return { outcome: 'refused', code: 'other' };
      const read = (reply: OutboundReply) => submitOutcomeIn(reply, members.request_id);
      return send(['/v1/scanPay/submit', { ...members, notify_url }], limits, read);
    },
    async find({ key }) {
      const request_id = requestIdOf(key);
      if (request_id === undefined) return unknown('not sent: the key is not one of a payout');
      const read = (reply: OutboundReply) => queryAnswerIn(reply, request_id);
      return send(['/v1/order/query', { request_id }], QUERY_LIMITS, read);
    },
    async inquire(request) {
      const members = inquiryMembers(request);
      if (members === undefined) return unknown('not sent: the code is not Thai');
      return send(['/v1/scanPay/info', members], QUERY_LIMITS, inquiryAnswerIn);
    },
    readCallback: (_headers, body) => hintIn(body, partner_id, provider_public_key),
  };
}

/** Documents say seconds, but their examples and client send milliseconds. */
function signedBody(members: Members, { partner_id, private_key }: Credentials, nowMs: number) {
  const common = { partner_id, sign_type: 'RSA', timestamp: String(nowMs), nonce: randomUUID() };
  const all = { ...members, ...common };
  return JSON.stringify({ ...all, sign: signatureOf(all, private_key) });
}

function unreadable(reply: OutboundReply) {
  const { code = 'unreadable', data } = answerIn(reply) ?? {};
  return unclear(`HTTP ${String(reply.status)}, code ${code}, status ${data?.status ?? 'none'}`);
}
