// A sandbox partner and its payer for tests of a running system, which they use only by HTTP and
// the SDK.
import type { Sandbox, SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import { mintSandboxToken } from '../../../src/dev/demo/sandbox-partner';
import { until } from '../../../src/dev/until';
import type { Corridor } from '../../../src/corridors/names';
import { createClient, verifyWebhook, type Intent } from '../../../src/sdk';
import { contractFetch, assertWebhookContract } from '../contract/contract';

const PATIENCE_MS = 120_000;

interface JournalEntry {
  readonly key: string;
  readonly amount_usd_cents: number;
}

export function createSandboxPayer(sandbox: Sandbox, partner: SandboxPartner) {
  const client = createClient({
    baseUrl: sandbox.base_url,
    keyId: partner.key_id,
    signingSecret: partner.signing_secret,
    fetch: contractFetch,
  });
  return {
    client,
    create: (amountUsdCents: number, corridor: Corridor = 'vn_qrpay') =>
      client.createIntent({ partnerUserId: 'journey', amountUsdCents, corridor }),
    mint: (intent: Intent) => mintSandboxToken(partner, 'journey', intent),
    confirm: (intent: Intent, token: string, headers = {}) =>
      contractFetch(`${sandbox.base_url}/v1/payment_intents/${intent.intentId}/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    /** Waits until the intent has this status. Returns the last status. */
    async statusBecomes(intent: Intent, status: string): Promise<string> {
      let seen = 'unknown';
      const isThere = async () => {
        seen = await client.getIntent(intent.intentId).then(
          (found) => found.status,
          () => seen,
        );
        return seen === status;
      };
      await until(isThere, { timeoutMs: PATIENCE_MS, everyMs: 100 });
      return seen;
    },
    /** The amounts that the provider has executed for this intent. */
    async paidOut(intent: Intent): Promise<readonly number[]> {
      const reply = await fetch(`${sandbox.provider_url}/journal`);
      const journal = (await reply.json()) as readonly JournalEntry[];
      return journal
        .filter(({ key }) => key.startsWith(intent.intentId))
        .map((entry) => entry.amount_usd_cents);
    },
    /**
     * Waits for the intent's webhook, verifies its signature, and checks it against the contract.
     */
    verifiedEvents: (intent: Intent) => untilEvents(partner, intent),
  };
}

async function untilEvents(partner: SandboxPartner, intent: Intent): Promise<readonly string[]> {
  let events: readonly string[] = [];
  const hasArrived = async () => {
    events = await readInbox(partner, intent);
    return events.length > 0;
  };
  await until(hasArrived, { timeoutMs: PATIENCE_MS, everyMs: 100 });
  return events;
}

interface InboxEntry {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function readInbox(partner: SandboxPartner, intent: Intent): Promise<readonly string[]> {
  const reply = await fetch(partner.webhook_inbox_url);
  const inbox = (await reply.json()) as readonly InboxEntry[];
  return inbox
    .filter(({ body }) => body.includes(intent.intentId))
    .map(({ body, headers }) => {
      assertWebhookContract({ body, headers });
      return String(verifyWebhook(body, headers, [partner.webhook_secret]).type);
    });
}
