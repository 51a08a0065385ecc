// The sandbox's statement: the journal in the form that `payctl reconcile` reads (architecture,
// section 6).
import { ProviderCaller, TOKEN } from './provider-caller';

let provider: ProviderCaller;
beforeEach(async () => {
  provider = new ProviderCaller();
  await provider.start();
});
afterEach(() => provider.stop());

const statement = (query = '', headers: Record<string, string> = {}) =>
  provider.text(`/statement${query}`, headers);

describe('the statement', () => {
  it('has a line of JSON for each payment of the journal, with the environment', async () => {
    await provider.post({ key: 'pi_1:payout', amount: 1_250, corridor: 'vn_qrpay' });
    await provider.post({ key: 'pi_2:payout', amount: 40_001 });
    const { type, text } = await statement();
    const [payment] = await provider.journal();
    expect(type).toBe('application/x-ndjson');
    expect(text).toBe(`${JSON.stringify({ ...payment, environment: 'sandbox' })}\n`);
  });

  it('is CSV when the request accepts CSV, with every text quoted', async () => {
    await provider.post({ key: 'a,"b"', amount: 1_250 });
    const { type, text } = await statement('', { accept: 'text/csv' });
    expect(type).toContain('text/csv');
    expect(text).toBe(
      'key,amount_usd_cents,corridor,executed_at,environment,status\r\n"a,""b""",1250,"th_qrpay","2025-01-15T00:00:00.000Z","sandbox","paid"\r\n',
    );
  });

  it('has a line for money that came back, from when it came, and the journal has none', async () => {
    const payment = {
      ...{ key: 'pi_1:payout', amount_usd_cents: 40_010, corridor: 'th_qrpay' },
      executed_at: '2025-01-15T00:00:00.000Z',
    };
    await provider.post({ key: 'pi_1:payout', amount: 40_010 });
    const paid = { ...payment, environment: 'sandbox' };
    provider.time.advance(2_999);
    expect((await statement()).text).toBe(`${JSON.stringify(paid)}\n`);
    provider.time.advance(1);
    const at = '2025-01-15T00:00:03.000Z';
    const back = { ...payment, executed_at: at, status: 'returned', environment: 'sandbox' };
    expect((await statement()).text).toBe(`${JSON.stringify(paid)}\n${JSON.stringify(back)}\n`);
    expect((await statement(`?since=${at}`)).text).toBe(`${JSON.stringify(back)}\n`);
    const { text } = await statement(`?since=${at}`, { accept: 'text/csv' });
    expect(text).toContain(',"2025-01-15T00:00:03.000Z","sandbox","returned"\r\n');
    expect(await provider.journal()).toEqual([payment]);
  });

  it('has the payouts that were executed from since on and before until', async () => {
    for (const key of ['one', 'two', 'three']) {
      await provider.post({ key, amount: 1_250 });
      provider.time.advance(60_000);
    }
    const keysOf = async (query: string) =>
      [...(await statement(query)).text.matchAll(/"key":"(\w+)"/g)].map(([, key]) => key);
    const [first, second] = ['2025-01-15T00:01:00Z', '2025-01-15T07:02:00%2B07:00'];
    expect(await keysOf(`?since=${first}`)).toEqual(['two', 'three']);
    expect(await keysOf(`?until=${first}`)).toEqual(['one']);
    expect(await keysOf(`?since=${first}&until=${second}`)).toEqual(['two']);
    expect(await keysOf('?since=2026-01-01T00:00:00Z')).toEqual([]);
  });

  it.each([
    'since=yesterday',
    'since=',
    'until=2025-02-30T00:00:00Z',
    'since=2025-01-15T00:00:00',
    'since=2025-01-15T00:00:00Z&since=2025-01-16T00:00:00Z',
    'since=2025-01-16T00:00:00Z&until=2025-01-15T00:00:00Z',
  ])('is rejected for the period %s', async (query) => {
    expect((await statement(`?${query}`)).status).toBe(400);
  });

  it('needs no credential, like the journal', async () => {
    const headers = { authorization: `Bearer ${TOKEN}x` };
    expect((await statement('', headers)).status).toBe(200);
  });
});
