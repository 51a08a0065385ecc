// A partner's backend whose machine trusts the authority behind an API's certificate: `fetch` over that, and signed calls. Node's
// own `fetch` takes authorities from the environment, and only at its start. Every answer is held to the contract.
import { Agent, fetch as fetchOfUndici } from 'undici';
import { CERTIFICATE } from './certificate';
import { heldToContract } from '../contract/contract';
import { sign, type TestPartner } from '../payments/partner';

export type Credentials = Pick<TestPartner, 'key_id' | 'signing_secret'>;

export interface SecureCaller {
  readonly fetch: typeof fetch;
  /** @param at the address of an API, without `/v1` */
  create(at: string, by: Credentials, amountUsdCents: number): Promise<Response>;
  get(at: string, by: Credentials, intentId: string): Promise<Response>;
  close(): Promise<void>;
}

const INTENTS = '/v1/payment_intents';

export function openSecureCaller(): SecureCaller {
  const dispatcher = new Agent({ connect: { ca: CERTIFICATE } });
  // The same function in another version, whose types are others than Node's.
  const send = fetchOfUndici as unknown as (
    input: unknown,
    init: unknown,
  ) => ReturnType<typeof fetch>;
  const secureFetch = heldToContract((input, init) => send(input, { ...init, dispatcher }));
  return {
    fetch: secureFetch,
    create(at, by, amountUsdCents) {
      const body = JSON.stringify({
        ...{ partner_user_id: 'user-4711', corridor: 'th_qrpay' },
        amount_usd_cents: amountUsdCents,
      });
      const signed = signedNow(by, { method: 'POST', path: INTENTS, body });
      const headers = { ...signed, 'Content-Type': 'application/json' };
      return secureFetch(at + INTENTS, { method: 'POST', headers, body });
    },
    get(at, by, intentId) {
      const path = `${INTENTS}/${intentId}`;
      return secureFetch(at + path, { headers: signedNow(by, { method: 'GET', path }) });
    },
    close: () => dispatcher.destroy(),
  };
}

function signedNow(by: Credentials, parts: Parameters<typeof sign>[1]) {
  return sign(by, { ...parts, timestamp: new Date().toISOString() });
}
