// Source 5: the webhooks that arrived at the partners, each verified with the partner's secret as of when it came.
import type { SandboxPartner } from '../../../src/dev/sandbox-file';
import { verifyWebhook } from '../../../src/sdk';
import type { Received } from '../evidence';

interface InboxEntry {
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ANSWER_WITHIN_MS = 30_000;

export async function readInboxes(
  partners: readonly SandboxPartner[],
): Promise<readonly Received[]> {
  const inboxes = await Promise.all(partners.map(readInbox));
  return inboxes.flat();
}

async function readInbox(partner: SandboxPartner): Promise<readonly Received[]> {
  const reply = await fetch(partner.webhook_inbox_url, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const entries = (await reply.json()) as readonly InboxEntry[];
  return entries.map((entry) => ({
    partnerId: partner.partner_id,
    webhookId: entry.headers['webhook-id'] ?? '',
    event: verified(entry, partner),
    body: entry.body,
  }));
}

function verified({ received_at, headers, body }: InboxEntry, partner: SandboxPartner) {
  try {
    const now = () => new Date(received_at);
    const event = verifyWebhook(body, headers, [partner.webhook_secret], { now });
    const { intentId, status, amountUsdCents: cents, corridor } = event.data;
    return { type: event.type, intentId, status, cents, corridor };
  } catch {
    // Not signed by us, or not a webhook: that is a finding, and told as one.
    return null;
  }
}
