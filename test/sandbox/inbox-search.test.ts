// `npm start` and the page of `npm run sandbox:try` find a payment's webhook in an inbox of any
// size: data survives restarts, so a sandbox in long use has a large one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxPartner } from '../../src/dev/demo/sandbox-file';
import { receivedWebhook } from '../../src/dev/demo/sandbox-partner';
import { createPartnerServer } from '../../src/sandbox/partner';
import { webhookHeaders } from '../../src/signing/webhook-signature';
import { manualTime } from './manual-time';
import { makeFolder, recordingLog, removeFolder } from './sandbox-folder';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const AT = new Date('2026-03-02T12:00:00.000Z');
/** Of such length that 1 000 of them are 40 MB. */
const OTHER = JSON.stringify({ received_at: AT, headers: {}, body: 'x'.repeat(40_000) });

function entryOf(intentId: string): string {
  const data = {
    ...{ intent_id: intentId, status: 'captured', amount_usd_cents: 1_250, corridor: 'th_qrpay' },
    ...{ created_at: AT, captured_at: AT },
  };
  const payout = { reference: null, local: null, code: null };
  const body = JSON.stringify({ type: 'payment_intent.captured', timestamp: AT, data, payout });
  const message = { id: `evt_${intentId.slice(3)}`, sentAt: AT, body };
  return JSON.stringify({ received_at: AT, headers: webhookHeaders(message, [SECRET]), body });
}

it('finds the webhook behind 40 MB of others, and none for another payment', async () => {
  const folder = await makeFolder();
  const partnersFile = join(folder, 'partners.json');
  await writeFile(partnersFile, JSON.stringify([{ slug: 'acme', kid: 'k', public_key_pem: '' }]));
  const [first, last, none] = ['0', '1', '2'].map((digit) => `pi_${digit.repeat(26)}`);
  const lines = [entryOf(first ?? ''), ...Array<string>(1_000).fill(OTHER), entryOf(last ?? '')];
  await writeFile(join(folder, 'inbox-acme.jsonl'), `${lines.join('\n')}\n`);
  const log = recordingLog();
  const server = createPartnerServer({ directory: folder, partnersFile, ...manualTime(), log });
  const base = `http://127.0.0.1:${String(await server.listen(0, '127.0.0.1'))}`;
  const partner = {
    webhook_inbox_url: `${base}/acme/inbox`,
    webhook_secret: SECRET,
  } as SandboxPartner;
  const found = async (intentId = '') => (await receivedWebhook(partner, intentId))?.event.id;
  try {
    expect([await found(first), await found(last), await found(none)]).toEqual([
      `evt_${'0'.repeat(26)}`,
      `evt_${'1'.repeat(26)}`,
      undefined,
    ]);
  } finally {
    await server.close();
    await removeFolder(folder);
  }
});
