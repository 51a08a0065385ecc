// The actions of a sandbox partner and its payer, through the SDK and HTTP alone, for the payment
// of `npm start` and for `npm run sandbox:pay`.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { SCHEMES } from '../../corridors/registry';
import {
  checkoutUrl,
  createClient,
  mintSessionToken,
  verifyWebhook,
  type Client,
  type Intent,
  type WebhookEvent,
} from '../../sdk';
import type { Sandbox, SandboxPartner } from './sandbox-file';

const CONFIRM_TIMEOUT_MS = 15_000;
const INBOX_TIMEOUT_MS = 10_000;

const entrySchema = z.object({
  received_at: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

export interface ReceivedWebhook extends z.infer<typeof entrySchema> {
  readonly event: WebhookEvent;
}

export function clientOf(baseUrl: string, partner: SandboxPartner): Client {
  const { key_id: keyId, signing_secret: signingSecret } = partner;
  return createClient({ baseUrl, keyId, signingSecret });
}

/**
 * Mints the session token as the partner's backend does when its payer opens the checkout (protocol
 * 4).
 * @param subject the payer's id at the partner
 */
export function mintSandboxToken(
  partner: SandboxPartner,
  subject: string,
  intent: Intent,
): Promise<string> {
  const at = new Date();
  return mintSessionToken({
    issuer: partner.issuer,
    kid: partner.session_kid,
    privateKeyPem: partner.session_private_key_pem,
    subject,
    intent,
    kycAttestation: { verified: true, method: 'document', verifiedAt: at },
    sanctionsAttestation: { clean: true, screenedAt: at },
  });
}

/** @returns the address of the hosted checkout with a session token, which confirms once */
export async function checkoutLink(
  sandbox: Pick<Sandbox, 'checkout_url'>,
  partner: SandboxPartner,
  subject: string,
  intent: Intent,
): Promise<string> {
  return checkoutUrl({
    checkoutUrl: sandbox.checkout_url,
    intentId: intent.intentId,
    sessionToken: await mintSandboxToken(partner, subject, intent),
    // Each sandbox partner has registered its own id as the scheme of its app.
    returnScheme: partner.partner_id,
  });
}

/**
 * Sends the request of the checkout when the payer confirms, with the sample code as the scanned
 * code.
 */
export function confirmAsPayer(
  baseUrl: string,
  intent: Intent,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${baseUrl}/v1/payment_intents/${intent.intentId}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ qr_payload: SCHEMES[intent.corridor].sampleCode }),
    signal: AbortSignal.timeout(CONFIRM_TIMEOUT_MS),
  });
}

/**
 * Reads and verifies this intent's webhook in the partner's inbox; undefined while there is none.
 */
export async function receivedWebhook(
  partner: SandboxPartner,
  intentId: string,
): Promise<ReceivedWebhook | undefined> {
  const answer = await fetch(partner.webhook_inbox_url, {
    signal: AbortSignal.timeout(INBOX_TIMEOUT_MS),
  });
  const received = await entryWith(intentId, answer);
  if (received === undefined) return undefined;
  // The webhook may have arrived days ago, so its timestamp is checked against the time of arrival.
  const now = () => new Date(received.received_at);
  const { body, headers } = received;
  return { ...received, event: verifyWebhook(body, headers, [partner.webhook_secret], { now }) };
}

/** The array has a line for each entry: a full inbox has more than memory should hold. */
async function entryWith(text: string, { body }: Response) {
  const bytes: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body ?? [];
  const input = Readable.from(bytes);
  try {
    for await (const line of createInterface({ input })) {
      if (line.includes(text)) {
        return entrySchema.parse(JSON.parse(line.replace(/^\[/, '').replace(/[\],]$/, '')));
      }
    }
    return undefined;
  } finally {
    input.destroy();
  }
}
