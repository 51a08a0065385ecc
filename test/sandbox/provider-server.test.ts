// Architecture, section 6: the sandbox provider's promises beside its scenarios.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderCaller, TOKEN, told, untilSilent } from './provider-caller';

const KEY = 'pi_1:payout';
let provider: ProviderCaller;

beforeEach(async () => {
  provider = new ProviderCaller();
  await provider.start();
});
afterEach(() => provider.stop());

describe('idempotency', () => {
  it.each([1_250, 40_004, 40_008])(
    'executes a key once, however often it is sent at once (%d)',
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

  it('gives each of two faults once, however many requests come at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => provider.post({ key: KEY, amount: 40_003 })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(8).fill(200), 500, 500]);
    expect(await provider.journal()).toHaveLength(1);
  });

  it('executes many keys at once, each in the journal by the time it says paid', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => `pi_${index}:payout`);
    await Promise.all(keys.map((key) => provider.post({ key, amount: 1_250 })));
    const text = await readFile(join(provider.folder, 'payouts.jsonl'), 'utf8');
    const journaled = (await provider.journal()).map(({ key }) => key);
    expect(journaled.sort()).toEqual(keys.sort());
    expect(text.trimEnd().split('\n')).toHaveLength(50);
  });

  it.each([
    ['amount', { key: KEY, amount: 1_251 }],
    ['corridor', { key: KEY, amount: 1_250, corridor: 'vn_qrpay' }],
  ])('refuses the same key with another %s, also after a restart', async (_, other) => {
    await provider.post({ key: KEY, amount: 1_250 });
    expect((await provider.post(other)).status).toBe(422);
    await provider.restart();
    expect((await provider.post(other)).status).toBe(422);
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

  it.each([1_250, 40_004])('keeps no scanned code, in neither file (%d)', async (amount) => {
    await provider.post({ key: KEY, amount });
    provider.time.advance(3_000);
    expect(await provider.get(KEY)).toEqual(told(KEY, 'paid', amount));
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

  it('refuses to start on a file that is not its own', async () => {
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
  ])('are refused without the credential: %s %s', async (method, path) => {
    const headers = { authorization: `Bearer ${TOKEN}x` };
    expect((await provider.call(path, { method, headers })).status).toBe(401);
  });

  it.each([
    ['no key', { body }, 400],
    ['a key of 257 characters', { body, headers: { 'idempotency-key': 'k'.repeat(257) } }, 400],
    ['no body', { headers: idempotencyKey }, 400],
    ['a body that is no JSON', { headers: idempotencyKey, body: '{' }, 400],
    [
      'an amount that is no cents',
      { headers: idempotencyKey, body: body.replace('1250', '12.5') },
      400,
    ],
    ['an unknown corridor', { headers: idempotencyKey, body: body.replace('th_', 'us_') }, 400],
    ['a body over 16 kB', { headers: idempotencyKey, body: body + ' '.repeat(16_384) }, 413],
  ])('are refused with %s', async (_, init, status) => {
    expect((await provider.call('/payouts', { method: 'POST', ...init })).status).toBe(status);
    expect(await provider.journal()).toEqual([]);
  });

  it.each(['/', '/payout', '/payouts', '/payouts/%ff'])('find nothing at GET %s', async (path) => {
    const body = { error: 'There is nothing here.' };
    expect(await provider.call(path)).toEqual({ status: 404, body });
  });

  it('of which some are never answered do not hold up the stop', async () => {
    const silent = await untilSilent(provider, provider.post({ key: KEY, amount: 40_005 }));
    await provider.restart();
    expect(await silent.ended).toBe('not answered');
  });

  it('that were given up by their caller leave nothing waiting', async () => {
    const caller = new AbortController();
    const headers = idempotencyKey;
    const asked = body.replace('1250', '40005');
    const init = { method: 'POST', headers, body: asked, signal: caller.signal };
    const silent = await untilSilent(provider, provider.call('/payouts', init));
    caller.abort();
    expect(await silent.ended).toBe('not answered');
    while (provider.time.waiting() > 0) await new Promise(setImmediate);
    expect(await provider.post({ key: 'pi_2', amount: 1 })).toEqual(told('pi_2', 'paid', 1));
  });
});
