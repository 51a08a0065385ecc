// One partner and its payers, as the load plays them: the SDK for what partners send, and a token for what payers confirm.
import type { SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import { mintSandboxToken } from '../../../src/dev/demo/sandbox-partner';
import type { Corridor } from '../../../src/domain/corridor';
import { createClient, type Intent } from '../../../src/sdk';
import { sign } from '../../support/payments/partner';
import { fetchThrough, type Desk } from './recorded-requests';
import type { Api, ApiRequest } from './record';

export interface CreateWish {
  readonly userId: string;
  readonly cents: number;
  readonly corridor: Corridor;
}

export type PartnerDesk = ReturnType<typeof createPartnerDesk>;

const PATH = '/v1/payment_intents';
const PAYER = 'a payer under chaos';

export function createPartnerDesk(partner: SandboxPartner, desk: Desk) {
  const { key_id: keyId, signing_secret: signingSecret } = partner;
  // Which API it is the desk decides.
  const account = { baseUrl: 'http://127.0.0.1', keyId, signingSecret };
  const read = (path: string, token: string) =>
    desk.send({ method: 'GET', path, headers: bearer(token), body: '' });
  return {
    partner,
    /** By the SDK: signed, repeated after 503 and lost answers. */
    client: createClient({ ...account, fetch: fetchThrough(desk.send) }),
    /** The same at one API, by a clock that is so far off. */
    clientAt: (api: Api, shiftMs: number) =>
      createClient({
        ...account,
        maxAttempts: 1,
        now: () => new Date(Date.now() + shiftMs),
        fetch: fetchThrough((request) => desk.sendTo(api, request)),
      }),
    mint: (intent: Intent) => mintSandboxToken(partner, PAYER, intent),
    confirm: (intent: Intent, token: string, code?: string) =>
      desk.send(confirmOf(intent, token, code)),
    confirmAt: (api: Api, intent: Intent, token: string) =>
      desk.sendTo(api, confirmOf(intent, token)),
    readByToken: ({ intentId }: Intent, token: string) => read(`${PATH}/${intentId}`, token),
    /** As the checkout does after a confirm. */
    readStatus: ({ intentId }: Intent, token: string) => read(`/flow/${intentId}/status`, token),
    /** A signed create without an idempotency key, for sending it more than once as it is. */
    bareCreate: (wish: CreateWish, signedAt: Date) => bareCreate(partner, wish, signedAt),
  };
}

function confirmOf({ intentId }: Intent, token: string, code?: string): ApiRequest {
  const request = { method: 'POST', path: `${PATH}/${intentId}/confirm` } as const;
  if (code === undefined) return { ...request, headers: bearer(token), body: '' };
  const headers = { ...bearer(token), 'content-type': 'application/json' };
  return { ...request, headers, body: JSON.stringify({ qr_payload: code }) };
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

function bareCreate(partner: SandboxPartner, wish: CreateWish, signedAt: Date): ApiRequest {
  const body = JSON.stringify({
    partner_user_id: wish.userId,
    amount_usd_cents: wish.cents,
    corridor: wish.corridor,
  });
  const timestamp = signedAt.toISOString();
  const signed = sign(partner, { method: 'POST', path: PATH, body, timestamp });
  const headers = new Headers({ ...signed, 'content-type': 'application/json' });
  return { method: 'POST', path: PATH, headers: Object.fromEntries(headers), body };
}
