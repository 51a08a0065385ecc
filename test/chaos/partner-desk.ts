// One partner and its payers, as the load plays them: the SDK for what partners send, and a token for what payers confirm.
import type { SandboxPartner } from '../../src/dev/sandbox-file';
import { mintSandboxToken } from '../../src/dev/sandbox-token';
import type { Corridor } from '../../src/domain/corridor';
import { createClient, type Client, type Intent } from '../../src/sdk';
import { sign } from '../support/partner';
import { fetchThrough, type Desk } from './desk';
import type { Answer, Api, ApiRequest } from './record';

export interface CreateWish {
  readonly userId: string;
  readonly cents: number;
  readonly corridor: Corridor;
}

export interface PartnerDesk {
  readonly partner: SandboxPartner;
  /** By the SDK: signed, repeated after 503 and lost answers. */
  readonly client: Client;
  /** The same at one API, by a clock that is so far off. */
  clientAt(api: Api, shiftMs: number): Client;
  mint(intent: Intent): Promise<string>;
  confirm(intent: Intent, token: string, code?: string): Promise<Answer>;
  confirmAt(api: Api, intent: Intent, token: string): Promise<Answer>;
  readByToken(intent: Intent, token: string): Promise<Answer>;
  /** As the checkout does after a confirm. */
  readStatus(intent: Intent, token: string): Promise<Answer>;
  /** A signed create without an idempotency key, for sending it more than once as it is. */
  bareCreate(wish: CreateWish, signedAt: Date): ApiRequest;
}

const PATH = '/v1/payment_intents';
const PAYER = 'a payer under chaos';

export function createPartnerDesk(partner: SandboxPartner, desk: Desk): PartnerDesk {
  const { key_id: keyId, signing_secret: signingSecret } = partner;
  // Which API it is the desk decides.
  const account = { baseUrl: 'http://127.0.0.1', keyId, signingSecret };
  return {
    partner,
    client: createClient({ ...account, fetch: desk.fetch }),
    clientAt: (api, shiftMs) =>
      createClient({
        ...account,
        maxAttempts: 1,
        now: () => new Date(Date.now() + shiftMs),
        fetch: fetchThrough((request) => desk.sendTo(api, request)),
      }),
    mint: (intent) => mintSandboxToken(partner, PAYER, intent),
    confirm: (intent, token, code) => desk.send(confirmOf(intent, token, code)),
    confirmAt: (api, intent, token) => desk.sendTo(api, confirmOf(intent, token)),
    readByToken: ({ intentId }, token) =>
      desk.send({ method: 'GET', path: `${PATH}/${intentId}`, headers: bearer(token), body: '' }),
    readStatus: ({ intentId }, token) =>
      desk.send({
        method: 'GET',
        path: `/flow/${intentId}/status`,
        headers: bearer(token),
        body: '',
      }),
    bareCreate: (wish, signedAt) => bareCreate(partner, wish, signedAt),
  };
}

function confirmOf({ intentId }: Intent, token: string, code?: string): ApiRequest {
  return {
    method: 'POST',
    path: `${PATH}/${intentId}/confirm`,
    headers: {
      ...bearer(token),
      ...(code !== undefined && { 'content-type': 'application/json' }),
    },
    body: code === undefined ? '' : JSON.stringify({ qr_payload: code }),
  };
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
