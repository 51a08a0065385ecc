// Valid requests as bytes, so that no measurement includes preparing them.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { claimsFor, mintToken, sign, type TestPartner } from '../../support/payments/partner';
import type { Begun } from './payments';

export const INTENTS_PATH = '/v1/payment_intents';
const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';

interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function toBytes({ method, path, headers, body = '' }: Outgoing): Uint8Array {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = body === '' ? '' : `Content-Length: ${String(Buffer.byteLength(body))}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`);
}

export function createRequest(
  partner: TestPartner,
  headers: Readonly<Record<string, string>> = {},
): Uint8Array {
  const target = { method: 'POST', path: INTENTS_PATH, body: BODY };
  const signing = sign(partner, { ...target, timestamp: new Date().toISOString() });
  return toBytes({
    ...target,
    headers: { 'Content-Type': 'application/json', ...signing, ...headers },
  });
}

export function signedReadRequest(partner: TestPartner, intentId: string): Uint8Array {
  const target = { method: 'GET', path: `${INTENTS_PATH}/${intentId}` };
  const headers = sign(partner, { ...target, timestamp: new Date().toISOString() });
  return toBytes({ ...target, headers });
}

export function tokenReadRequest(partner: TestPartner, intent: PaymentIntent): Uint8Array {
  return toBytes({
    method: 'GET',
    path: `${INTENTS_PATH}/${intent.intentId}`,
    headers: { Authorization: `Bearer ${freshToken(partner, intent)}` },
  });
}

export function confirmRequest(begun: Begun): Uint8Array {
  return toBytes(confirmOf(begun));
}

/** With the scanned code, if there is one. */
export function confirmOf({ partner, intent, code }: Begun) {
  const request = { method: 'POST', path: `${INTENTS_PATH}/${intent.intentId}/confirm` } as const;
  const bearer = { Authorization: `Bearer ${freshToken(partner, intent)}` };
  if (code === undefined) return { ...request, headers: { ...bearer, 'Content-Length': '0' } };
  const headers = { ...bearer, 'Content-Type': 'application/json' };
  return { ...request, headers, body: JSON.stringify({ qr_payload: code }) };
}

export function freshToken(partner: TestPartner, intent: PaymentIntent): string {
  return mintToken(partner, intent, claimsFor(partner, intent, new Date()));
}
