// A partner's backend that trusts the test certificate: `fetch` and signed calls, with every answer
// checked against the contract. Node's own `fetch` reads authorities only from the environment at
// its start, so this uses undici.
import { Agent, fetch as fetchOfUndici } from 'undici';
import { CERTIFICATE } from './certificate';
import { withContractAssertions } from '../contract/contract';
import type { OnboardedPartner } from '../../../src/ops/partners/create';
import { sign } from '../payments/partner';

type Credentials = Pick<OnboardedPartner, 'key_id' | 'signing_secret'>;

interface SecureCaller {
  readonly fetch: typeof fetch;
  /**
   * @param at the URL of an API, without `/v1`
   * @param further headers that are not signed
   */
  create(
    at: string,
    by: Credentials,
    amountUsdCents: number,
    further?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  get(at: string, by: Credentials, intentId: string): Promise<Response>;
  close(): Promise<void>;
}

const INTENTS = '/v1/payment_intents';

export function openSecureCaller(): SecureCaller {
  const dispatcher = new Agent({ connect: { ca: CERTIFICATE } });
  // The same function as Node's, in another version with other types.
  const send = fetchOfUndici as unknown as (
    input: unknown,
    init: unknown,
  ) => ReturnType<typeof fetch>;
  const secureFetch = withContractAssertions((input, init) => send(input, { ...init, dispatcher }));
  return {
    fetch: secureFetch,
    create(at, by, amountUsdCents, further = {}) {
      const body = JSON.stringify({
        ...{ partner_user_id: 'user-4711', corridor: 'th_qrpay' },
        amount_usd_cents: amountUsdCents,
      });
      const signed = signedNow(by, { method: 'POST', path: INTENTS, body });
      const headers = { ...signed, 'Content-Type': 'application/json', ...further };
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
