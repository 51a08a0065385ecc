// One partner and its payers as the load plays them: partners call through the SDK, payers confirm
// with a token.
import type { SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import { mintSandboxToken } from '../../../src/dev/demo/sandbox-partner';
import type { Corridor } from '../../../src/corridors/names';
import { createClient, type Intent } from '../../../src/sdk';
import { sign } from '../../support/payments/partner';
import { aThaiCode, aVietnameseCode } from '../../support/payments/qr-codes';
import { codeWithAmount } from '../real-providers';
import { fetchThrough, type ApiDriver } from './api-driver';
import type { Api, ApiRequest } from './record';

export interface CreateOrder {
  readonly userId: string;
  readonly cents: number;
  readonly corridor: Corridor;
}

export type PartnerActor = ReturnType<typeof createPartnerActor>;

const PATH = '/v1/payment_intents';
const PAYER = 'a payer under chaos';

/** @param needsAmount whether each confirm has a code with an amount */
export function createPartnerActor(
  partner: SandboxPartner,
  driver: ApiDriver,
  needsAmount: boolean,
) {
  const { key_id: keyId, signing_secret: signingSecret } = partner;
  // The driver chooses the API; this address is only a placeholder.
  const account = { baseUrl: 'http://127.0.0.1', keyId, signingSecret };
  const codeFor = ({ corridor, amountUsdCents }: Intent, name?: string) =>
    needsAmount
      ? codeWithAmount(corridor, amountUsdCents, name ?? 'CHAOS STALL')
      : name && codeNamed(corridor, name);
  const read = (path: string, token: string) =>
    driver.send({ method: 'GET', path, headers: bearer(token), body: '' });
  return {
    partner,
    /** The SDK client: signs, and repeats after a 503 and after a lost answer. */
    client: createClient({ ...account, fetch: fetchThrough(driver.send) }),
    /** A client of one API that signs by a clock with this error, and does not repeat. */
    clientAt: (api: Api, shiftMs: number) =>
      createClient({
        ...account,
        maxAttempts: 1,
        now: () => new Date(Date.now() + shiftMs),
        fetch: fetchThrough((request) => driver.sendTo(api, request)),
      }),
    mint: (intent: Intent) => mintSandboxToken(partner, PAYER, intent),
    /** With a code of its own for each name, if any is needed or named. */
    confirm: (intent: Intent, token: string, name?: string) =>
      driver.send(confirmOf(intent, token, codeFor(intent, name))),
    confirmAt: (api: Api, intent: Intent, token: string) =>
      driver.sendTo(api, confirmOf(intent, token, codeFor(intent))),
    readByToken: ({ intentId }: Intent, token: string) => read(`${PATH}/${intentId}`, token),
    /** Reads the status page, as the checkout does after a confirm. */
    readStatus: ({ intentId }: Intent, token: string) => read(`/flow/${intentId}/status`, token),
    /**
     * A signed create without an idempotency key, so that the same bytes can be sent more than
     * once.
     */
    bareCreate: (order: CreateOrder, signedAt: Date) => bareCreate(partner, order, signedAt),
  };
}

function codeNamed(corridor: Corridor, name: string): string {
  const aCode = corridor === 'th_qrpay' ? aThaiCode : aVietnameseCode;
  return aCode({ '59': name });
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

function bareCreate(partner: SandboxPartner, order: CreateOrder, signedAt: Date): ApiRequest {
  const body = JSON.stringify({
    partner_user_id: order.userId,
    amount_usd_cents: order.cents,
    corridor: order.corridor,
  });
  const timestamp = signedAt.toISOString();
  const signed = sign(partner, { method: 'POST', path: PATH, body, timestamp });
  const headers = new Headers({ ...signed, 'content-type': 'application/json' });
  return { method: 'POST', path: PATH, headers: Object.fromEntries(headers), body };
}
