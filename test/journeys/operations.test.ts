// Decisions of operators on the running system, by their commands (architecture, section 7): an
// unknown payout, an amount mismatch, a refund, a confirm without a token, a key rotation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxPartner } from '../../src/dev/demo/sandbox-file';
import { until } from '../../src/dev/until';
import { CORRIDORS, type Corridor } from '../../src/corridors/names';
import { createDatabase } from '../../src/postgres/database';
import { createClient, type Intent } from '../../src/sdk';
import { contractFetch } from '../support/contract/contract';
import { withOperatedSystem } from '../support/programs/operated-system';

/**
 * The final status of each amount (architecture, section 6), and its entries in the provider's
 * journal.
 */
const ENDINGS = [
  [40_001, 'failed', 0],
  [40_002, 'captured', 1],
  [40_003, 'captured', 1],
  [40_004, 'captured', 1],
  [40_005, 'authorized', 0],
  [40_006, 'failed', 0],
  [40_007, 'captured', 1],
  [40_008, 'authorized', 1],
  [40_009, 'failed', 0],
  [40_013, 'captured', 1],
] as const;
/**
 * Amounts of src/sandbox/scenarios.ts: an unknown outcome, and a payout reported with another
 * amount.
 */
const [UNKNOWN_USD_CENTS, MISMATCH_USD_CENTS] = [40_005, 40_008];
const ATTENTION_WITHIN_MS = 60_000;

interface Story {
  readonly status: string;
  readonly attention_since: string | null;
  readonly transitions: readonly { readonly to: string; readonly actor: string }[];
  readonly ledger_entries: readonly { readonly transfer_key: string }[];
  readonly webhooks: readonly { readonly attempts: readonly { readonly error: string | null }[] }[];
}

describe('operations', () => {
  const system = withOperatedSystem('operations');
  const { directory, payer, confirmed, sandbox } = system;
  const payctl = (...args: readonly string[]) => system.payctl(args);
  const story = async (...args: readonly string[]): Promise<Story> => {
    const { code, stdout, stderr } = await payctl('intents', ...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as Story;
  };
  const needsAttention = async ({ intentId }: Intent) => {
    let shown: Story | undefined;
    const isRaised = async () => {
      shown = await story('show', intentId);
      return shown.attention_since !== null;
    };
    await until(isRaised, { timeoutMs: ATTENTION_WITHIN_MS, everyMs: 1_000 });
    return shown;
  };

  it('every amount of the sandbox reaches the status of its table, in both corridors', async () => {
    const { create, mint, confirm, statusBecomes, paidOut } = payer();
    const ends = async (corridor: Corridor, [amount, status]: (typeof ENDINGS)[number]) => {
      const intent = await create(amount, corridor);
      await confirm(intent, await mint(intent), { Prefer: 'respond-async' });
      const seen = await statusBecomes(intent, status);
      const shown = seen === 'authorized' ? await needsAttention(intent) : undefined;
      return [amount, seen, (await paidOut(intent)).length, shown?.attention_since !== null];
    };
    const expected = ENDINGS.map(([amount, status, paid]) => [amount, status, paid, true]);
    const all = (corridor: Corridor) =>
      Promise.all(ENDINGS.map((ending) => ends(corridor, ending)));
    const endings = await Promise.all([all('th_qrpay'), all('vn_qrpay')]);
    expect(endings).toEqual([expected, expected]);
  });

  it('resolves an unknown payout as declined: the payment fails and its debit is released', async () => {
    const intent = await confirmed(UNKNOWN_USD_CENTS);
    await expect(needsAttention(intent)).resolves.toMatchObject({ status: 'authorized' });
    const evidence = ['--evidence', 'statement line 7', '--as', 'ann'];
    const declined = ['resolve', intent.intentId, '--outcome', 'declined', ...evidence] as const;
    await expect(payctl('intents', ...declined)).resolves.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The provider does not answer.') as unknown,
    });
    const resolved = await story(...declined, '--provider-is-gone');
    expect(resolved.status).toBe('failed');
    expect(resolved.transitions.at(-1)).toMatchObject({ to: 'failed', actor: 'ann' });
    const steps = new Set(
      resolved.ledger_entries.map(({ transfer_key: key }) => key.split(':')[1]),
    );
    expect([...steps]).toEqual(['debit', 'release']);
    await expect(payer().verifiedEvents(intent)).resolves.toEqual(['payment_intent.failed']);
    const again = ['resolve', intent.intentId, '--outcome', 'paid', '--evidence', 'x'] as const;
    await expect(payctl('intents', ...again)).resolves.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is failed, by ann') as unknown,
    });
  });

  it('resolves an amount mismatch as paid, and refunds it once', async () => {
    const intent = await confirmed(MISMATCH_USD_CENTS);
    await expect(needsAttention(intent)).resolves.toMatchObject({ status: 'authorized' });
    const resolve = ['resolve', intent.intentId, '--outcome', 'paid', '--evidence', 'settled'];
    await expect(story(...resolve)).resolves.toMatchObject({ status: 'captured' });
    const refund = ['refund', intent.intentId, '--reason', 'the payer asked'];
    await expect(story(...refund)).resolves.toMatchObject({ status: 'refunded' });
    await expect(payctl('intents', ...refund)).resolves.toMatchObject({ code: 1 });
    const check = await payctl('ledger', 'check', '--json');
    expect([check.code, JSON.parse(check.stdout)]).toMatchObject([0, { ok: true }]);
  });

  it.each(CORRIDORS)('a payment to %s is captured, then refunded', async (corridor) => {
    const { create, mint, confirm } = payer();
    const intent = await create(1_250, corridor);
    const reply = await confirm(intent, await mint(intent));
    await expect(reply.json()).resolves.toMatchObject({ status: 'captured' });
    const refund = ['refund', intent.intentId, '--reason', 'each corridor'];
    await expect(story(...refund)).resolves.toMatchObject({ status: 'refunded' });
  });

  it('confirms without a token, and shows who confirmed and why', async () => {
    const intent = await payer().create(2_500);
    await story('confirm', intent.intentId, '--reason', 'the payer called', '--as', 'bob');
    await expect(payer().statusBecomes(intent, 'captured')).resolves.toBe('captured');
    const { stdout } = await payctl('intents', 'show', intent.intentId);
    expect(stdout).toMatch(/authorized by bob: the payer called/);
  });

  it('rotates a key: the new and the old key work, and a revoked key does not', async () => {
    const partner = sandbox().partners[1];
    if (partner === undefined) throw new Error('two partners are onboarded');
    const issued = await payctl('keys', 'issue', partner.partner_id, '--json');
    const next = JSON.parse(issued.stdout) as typeof partner;
    await expect(createWith(next)).resolves.toMatchObject({ status: 'created' });
    await expect(createWith(partner)).resolves.toMatchObject({ status: 'created' });
    await payctl('keys', 'revoke', next.key_id);
    await expect(createWith(next)).rejects.toMatchObject({ status: 401 });
    await expect(createWith(partner)).resolves.toMatchObject({ status: 'created' });
  });

  it('calls no internal address, whatever the rows say, and records why', async () => {
    const { database_url: url } = sandbox();
    const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
    const { create, mint, confirm } = payer();
    await database.query({ text: `update webhook_endpoints set url = 'https://10.0.0.1/hook'` });
    const paid = await create(100);
    await confirm(paid, await mint(paid));
    const attempted = async () => (await story('show', paid.intentId)).webhooks[0]?.attempts[0];
    await until(async () => (await attempted()) !== undefined, { timeoutMs: 30_000 });
    const why = 'the address 10.0.0.1 is not public (private, RFC 1918)';
    await expect(attempted()).resolves.toMatchObject({ status: null, error: why });

    await database.query({ text: `update partners set jwks_url = 'https://10.0.0.1/keys'` });
    await database.close();
    const intent = await create(100);
    await expect(confirm(intent, await mint(intent))).resolves.toMatchObject({ status: 401 });
    const log = readFileSync(join(directory, 'logs', 'api.log'), 'utf8');
    expect(log.split('\n').filter((line) => line.includes('key set not fetched'))).toEqual([
      expect.stringContaining(why),
    ]);
  });

  function createWith({ key_id: keyId, signing_secret: signingSecret }: SandboxPartner) {
    const { base_url: baseUrl } = sandbox();
    const client = createClient({ baseUrl, keyId, signingSecret, fetch: contractFetch });
    return client.createIntent({ partnerUserId: 'u', amountUsdCents: 100, corridor: 'th_qrpay' });
  }
});
