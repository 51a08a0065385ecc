// Callbacks with each provider's real signature, made by the simulators' own code.
import { createHmac } from 'node:crypto';
import type { Corridor } from '../../../src/corridors/names';
import type { AdapterName } from '../../../src/domain/payouts/adapters';
import { credentialsText, signedCallback } from '../../providers/musepay/simulator';
import { CREDENTIALS } from '../../providers/transfi/simulator';

export const TOKEN = 'a credential of the provider';

/** What an account's settings have as its token. */
export const TOKENS: Readonly<Record<AdapterName, string>> = {
  http: TOKEN,
  musepay: credentialsText(),
  transfi: JSON.stringify(CREDENTIALS),
};

export interface Callback {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface About {
  readonly intentId: string;
  readonly reference?: string | null;
  readonly corridor?: Corridor;
  /** What the callback says of the payment, which nobody reads. */
  readonly status?: string;
}

const hmacOf = (body: Buffer, secret: string) =>
  createHmac('sha256', secret).update(body).digest('hex');

const JSON_TYPE = { 'content-type': 'application/json' };

/** Of our own protocol. */
export function httpCallback(
  { intentId, reference = 'SB-1', corridor = 'th_qrpay', status = 'paid' }: About,
  token = TOKEN,
): Callback {
  const body = Buffer.from(JSON.stringify({ key: `${intentId}:payout`, reference, status }));
  const headers = { ...JSON_TYPE, 'callback-signature': hmacOf(body, token) };
  return { path: `/callbacks/${corridor}`, headers, body };
}

export function transFiCallback(about: About, secret = CREDENTIALS.webhook_secret): Callback {
  const { intentId, reference = 'OR-1', status = 'fund_settled' } = about;
  const order = { orderId: reference, partnerId: `${intentId}:payout`, status };
  const body = Buffer.from(JSON.stringify({ entityType: 'order', entityId: reference, order }));
  const headers = { ...JSON_TYPE, 'x-transfi-hmac-hash': hmacOf(body, secret) };
  return { path: `/callbacks/${about.corridor ?? 'vn_qrpay'}`, headers, body };
}

export function musePayCallback(about: About): Callback {
  const { intentId, reference = 'MP1', status = '99' } = about;
  const body = signedCallback({
    ...{ partner_id: '2000061', request_id: intentId.slice('pi_'.length) },
    ...{ order_no: reference, status },
  });
  return { path: `/callbacks/${about.corridor ?? 'th_qrpay'}`, headers: JSON_TYPE, body };
}
