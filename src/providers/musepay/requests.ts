// What MusePay's requests say. A payment is known there by the 26 characters of its intent id: no
// document says that `_` and `:` are allowed.
import { parseIntentId, stepKey } from '../../domain/ids';
import { localText } from '../../domain/money';
import type { InquiryRequest, PayoutOrder } from '../../ports/payout-provider';

const PAYER = /^[\x21-\x7e]{1,20}$/;

/** Undefined if the key is not one of a payout. */
export function requestIdOf(key: string): string | undefined {
  const requestId = key.slice('pi_'.length).replace(/:payout$/, '');
  return keyOf(requestId) === key ? requestId : undefined;
}

/** Undefined if the text is not exactly such an id. */
export function keyOf(requestId: string): string | undefined {
  const intentId = parseIntentId(`pi_${requestId}`);
  return intentId && stepKey(intentId, 'payout');
}

/** Undefined if the order lacks what MusePay needs: such an order must not be sent. */
export function orderMembers({ key, corridor, local, qrPayload, payer }: PayoutOrder) {
  const request_id = requestIdOf(key);
  if (request_id === undefined || qrPayload === null || !PAYER.test(payer)) return undefined;
  if (corridor !== 'th_qrpay' || local?.currency !== 'THB') return undefined;
  return { request_id, user_xid: payer, qrcode: qrPayload, amount: localText(local) };
}

/** Undefined if the code is not for Thailand. */
export function inquiryMembers({ corridor, local, qrPayload }: InquiryRequest) {
  const isThai = corridor === 'th_qrpay' && local?.currency !== 'VND';
  return isThai ? { qrcode: qrPayload, amount: local && localText(local) } : undefined;
}
