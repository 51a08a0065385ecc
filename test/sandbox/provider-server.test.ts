// The guarantees of the sandbox provider besides its scenarios (architecture, section 6).
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderCaller, TOKEN, payoutReply, untilUnanswered } from './provider-caller';

const KEY = 'pi_1:payout';
let provider: ProviderCaller;

beforeEach(async () => {
  provider = new ProviderCaller();
  await provider.start();
});
afterEach(() => provider.stop());

describe('idempotency', () => {
  it.each([1_250, 40_004, 40_008])(
    'executes a key once, however many concurrent requests send it (%d)',
    async (amount) => {
      const first = await Promise.all(
        Array.from({ length: 20 }, () => provider.post({ key: KEY, amount })),
      );
      expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]));
      provider.time.advance(3_000);
      await Promise.all(Array.from({ length: 20 }, () => provider.post({ key: KEY, amount })));
      await provider.restart();
      await provider.post({ key: KEY, amount });
      expect(await provider.journal()).toHaveLength(1);
    },
  );

  it('gives each of two faults once, however many requests are concurrent', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => provider.post({ key: KEY, amount: 40_003 })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(8).fill(200), 500, 500]);
    expect(await provider.journal()).toHaveLength(1);
  });

  it('executes many keys at once, and each is in the journal before the answer paid', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => `pi_${index}:payout`);
    await Promise.all(keys.map((key) => provider.post({ key, amount: 1_250 })));
    const text = await readFile(join(provider.folder, 'payouts.jsonl'), 'utf8');
    const journaled = (await provider.journal()).map(({ key }) => key);
    expect(journaled.sort()).toEqual(keys.sort());
    expect(text.trimEnd().split('\n')).toHaveLength(50);
  });

  it.each([
    ['amount', { key: KEY, amount: 1_251 }],
    ['corridor', { key: KEY, amount: 1_250, corridor: 'vn_qrpay' as const }],
  ])('rejects the same key with another %s, also after a restart', async (_, other) => {
    await provider.post({ key: KEY, amount: 1_250 });
    expect((await provider.post(other)).status).toBe(409);
    await provider.restart();
    expect((await provider.post(other)).status).toBe(409);
    expect(await provider.journal()).toHaveLength(1);
  });
});

describe('the journal', () => {
  it('needs no credential and shows key, amount, corridor and time of each payment', async () => {
    expect(await provider.journal()).toEqual([]);
    await provider.post({ key: KEY, amount: 1_250, corridor: 'vn_qrpay' });
    expect(await provider.journal()).toEqual([
      {
        key: KEY,
        amount_usd_cents: 1_250,
        corridor: 'vn_qrpay',
        executed_at: '2025-01-15T00:00:00.000Z',
      },
    ]);
  });

  it.each([1_250, 40_004])('stores no scanned code in either file (%d)', async (amount) => {
    await provider.post({ key: KEY, amount });
    provider.time.advance(3_000);
    expect(await provider.get(KEY)).toEqual(payoutReply(KEY, 'paid', amount));
    for (const file of ['payouts.jsonl', 'payout-notes.jsonl']) {
      expect(await readFile(join(provider.folder, file), 'utf8')).not.toMatch(/qr_payload|000201/);
    }
  });

  it('loses a torn last line, which was never acknowledged, and nothing else', async () => {
    await provider.post({ key: KEY, amount: 1_250 });
    await appendFile(join(provider.folder, 'payouts.jsonl'), '{"key":"pi_2:payout","amount_us');
    await provider.restart();
    const unknownKey = { error: 'not_found', key: 'pi_2:payout' };
    expect(await provider.get('pi_2:payout')).toEqual({ status: 404, body: unknownKey });
    await provider.post({ key: 'pi_2:payout', amount: 1_250 });
    await provider.restart();
    expect(await provider.journal()).toHaveLength(2);
  });

  it('does not start on a file that is not its own', async () => {
    await writeFile(join(provider.folder, 'payouts.jsonl'), '{"key":"pi_2:payout"}\n');
    await expect(provider.restart()).rejects.toThrow('as a file of JSON lines');
  });
});

describe('requests', () => {
  const body = JSON.stringify({ amount_usd_cents: 1_250, corridor: 'th_qrpay' });
  const idempotencyKey = { 'idempotency-key': KEY };

  it.each([
    ['POST', '/payouts'],
    ['GET', '/payouts/pi_1'],
  ])('are rejected without the credential: %s %s', async (method, path) => {
    const headers = { authorization: `Bearer ${TOKEN}x` };
    expect((await provider.call(path, { method, headers })).status).toBe(401);
  });

  it.each([
    ['no key', { body }, 400],
    ['a key of 257 characters', { body, headers: { 'idempotency-key': 'k'.repeat(257) } }, 400],
    ['no body', { headers: idempotencyKey }, 400],
    ['a body that is not JSON', { headers: idempotencyKey, body: '{' }, 400],
    [
      'an amount that is not in cents',
      { headers: idempotencyKey, body: body.replace('1250', '12.5') },
      400,
    ],
    ['an unknown corridor', { headers: idempotencyKey, body: body.replace('th_', 'us_') }, 400],
    ['a body over 16 kB', { headers: idempotencyKey, body: body + ' '.repeat(16_384) }, 413],
  ])('are rejected with %s', async (_, init, status) => {
    expect((await provider.call('/payouts', { method: 'POST', ...init })).status).toBe(status);
    expect(await provider.journal()).toEqual([]);
  });

  it.each(['/', '/payout', '/payouts', '/payouts/%ff'])('find nothing at GET %s', async (path) => {
    const body = { error: 'There is nothing here.' };
    expect(await provider.call(path)).toEqual({ status: 404, body });
  });

  it('that are never answered do not delay the stop', async () => {
    const sent = await untilUnanswered(provider, provider.post({ key: KEY, amount: 40_005 }));
    await provider.restart();
    expect(await sent.ended).toBe('not answered');
  });

  it('that their caller has aborted leave no waiting task', async () => {
    const caller = new AbortController();
    const headers = idempotencyKey;
    const unanswered = body.replace('1250', '40005');
    const init = { method: 'POST', headers, body: unanswered, signal: caller.signal };
    const sent = await untilUnanswered(provider, provider.call('/payouts', init));
    caller.abort();
    expect(await sent.ended).toBe('not answered');
    while (provider.time.waiting() > 0) await new Promise(setImmediate);
    expect(await provider.post({ key: 'pi_2', amount: 1 })).toEqual(payoutReply('pi_2', 'paid', 1));
  });
});
