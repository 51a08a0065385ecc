// One payment by hand, through the SDK and HTTP alone: first as the partner's backend, then as the payer's checkout would. The
// secrets stay in here; what leaves is a session token, which is the payer's.
import { checkoutUrl, createClient, type Client, type Intent, type IntentStatus } from '../../sdk';
import { SAMPLE_CODES } from '../../sandbox/sample-codes';
import type { Sandbox, SandboxPartner } from '../sandbox-file';
import { mintSandboxToken } from '../sandbox-token';
import type { Order } from './order';

const PAYER = 'sandbox-payer';
const CONFIRM_TIMEOUT_MS = 15_000;
/** A page that watches asks again anyway. */
const LOOK = { maxAttempts: 1, timeoutMs: 3_000 };

export function clientOf(sandbox: Sandbox, partner: SandboxPartner, options = {}): Client {
  return createClient({
    baseUrl: sandbox.base_url,
    keyId: partner.key_id,
    signingSecret: partner.signing_secret,
    ...options,
  });
}

export function watchingClientOf(sandbox: Sandbox, partner: SandboxPartner): Client {
  return clientOf(sandbox, partner, LOOK);
}

export function createIntent(client: Client, { amountUsdCents, corridor }: Order): Promise<Intent> {
  return client.createIntent({ partnerUserId: PAYER, amountUsdCents, corridor });
}

/** Each sandbox partner has registered its own id as the scheme of its app. */
export async function checkoutOf(
  sandbox: Sandbox,
  partner: SandboxPartner,
  intent: Intent,
): Promise<string> {
  return checkoutUrl({
    checkoutUrl: sandbox.checkout_url,
    intentId: intent.intentId,
    sessionToken: await mintSandboxToken(partner, PAYER, intent),
    returnScheme: partner.partner_id,
  });
}

export function canConfirm(status: IntentStatus): boolean {
  return status === 'created';
}

/**
 * What the checkout sends when the payer confirms, with the sample code as if it had been scanned. It does not wait for the
 * outcome: the page that comes next watches.
 * @returns the HTTP status
 */
export async function confirmAsPayer(
  sandbox: Sandbox,
  partner: SandboxPartner,
  intent: Intent,
): Promise<number> {
  const answer = await fetch(`${sandbox.base_url}/v1/payment_intents/${intent.intentId}/confirm`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await mintSandboxToken(partner, PAYER, intent)}`,
      'content-type': 'application/json',
      prefer: 'respond-async',
    },
    body: JSON.stringify({ qr_payload: SAMPLE_CODES[intent.corridor] }),
    signal: AbortSignal.timeout(CONFIRM_TIMEOUT_MS),
  });
  await answer.body?.cancel();
  return answer.status;
}
