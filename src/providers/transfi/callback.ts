// A callback of TransFi: an HMAC of the raw body, without a time or an event id. So it may be a
// repeat, and it only says which payment to query.
import type { CallbackHeaders, CallbackHint } from '../../ports/payout-provider';
import { isHmacSha256Hex } from '../../signing/hmac';
import { jsonTextsIn } from '../exchange';
import { isReference, membersOf, type Members } from './answer';

/**
 * Doubtful: named in TransFi's page about webhooks, never seen on a real callback. With another
 * name no callback is read, and payments are found by queries alone.
 */
const SIGNATURE_HEADER = 'x-transfi-hmac-hash';

/** Undefined unless the signature is that of exactly these bytes and the body names a payment. */
export function readSignedCallback(
  headers: CallbackHeaders,
  body: Uint8Array,
  secret: string,
): CallbackHint | undefined {
  return isHmacSha256Hex(headers[SIGNATURE_HEADER], body, secret)
    ? hintIn(membersOf(jsonTextsIn(body)))
    : undefined;
}

function hintIn({ entityId, order }: Members): CallbackHint | undefined {
  const { partnerId } = membersOf(order);
  const reference = isReference(entityId) ? entityId : null;
  const key = typeof partnerId === 'string' ? partnerId : null;
  return reference === null && key === null ? undefined : { key, reference };
}
