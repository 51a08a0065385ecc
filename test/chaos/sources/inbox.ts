// Source 5: the webhooks that arrived at the partners, each verified at its arrival time with the
// partner's secrets.
import type { SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import { verifyWebhook, type PaymentIntentEvent, type WebhookEvent } from '../../../src/sdk';
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhooks/event';
import type { EndpointOperator } from '../actors/endpoint-operator';
import type { Received } from '../report/evidence';

interface InboxEntry {
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ANSWER_WITHIN_MS = 30_000;

export async function readInboxes(
  partners: readonly SandboxPartner[],
  { secretsOf }: Pick<EndpointOperator, 'secretsOf'>,
): Promise<readonly Received[]> {
  const inboxes = await Promise.all(
    partners.map((partner) => readInbox(partner, secretsOf(partner.partner_id))),
  );
  return inboxes.flat();
}

async function readInbox(
  partner: SandboxPartner,
  secrets: readonly string[],
): Promise<readonly Received[]> {
  const reply = await fetch(partner.webhook_inbox_url, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const entries = (await reply.json()) as readonly InboxEntry[];
  return entries.map((entry) => ({
    partnerId: partner.partner_id,
    webhookId: entry.headers['webhook-id'] ?? '',
    event: verified(entry, secrets),
    body: entry.body,
  }));
}

function verified(
  { received_at, headers, body }: InboxEntry,
  secrets: readonly string[],
): Received['event'] {
  try {
    const now = () => new Date(received_at);
    const event = verifyWebhook(body, headers, secrets, { now });
    if (!isKnown(event)) return null;
    const { intentId, status, amountUsdCents: cents, corridor } = event.data;
    return { type: event.type, intentId, status, cents, corridor };
  } catch {
    // An invalid signature or body: the checkers report it.
    return null;
  }
}

function isKnown(event: WebhookEvent): event is PaymentIntentEvent {
  return WEBHOOK_EVENT_TYPES.some((type) => type === String(event.type));
}
