// The quotes of the sandbox provider, the orders that repeat them, and its balance (architecture,
// section 6), over real HTTP.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aThaiCode, aVietnameseCode } from '../support/payments/qr-codes';
import { codeOf, payoutReply, ProviderCaller } from './provider-caller';

const KEY = 'pi_1:payout';
const BAHT = { currency: 'THB', amount: 43_125 };
let provider: ProviderCaller;

beforeEach(async () => {
  provider = new ProviderCaller();
  await provider.start();
});
afterEach(() => provider.stop());

interface Quoted {
  readonly quote_id: string;
  readonly payee: { readonly name: string | null };
}

const quoted = async (change?: Readonly<Record<string, unknown>>) =>
  (await provider.quote(change)).body as Quoted;
const refusal = (error: string, key?: string) => ({
  status: 422,
  body: expect.objectContaining({ error, ...(key !== undefined && { key }) }) as unknown,
});
const post = (change: Readonly<Record<string, unknown>>, amount = 1_250) =>
  provider.post({ key: KEY, amount, change });

describe('a quote', () => {
  it('names the payee and what the payee gets for 60 s, and moves nothing', async () => {
    expect(await provider.quote()).toEqual({
      status: 200,
      body: {
        quote_id: expect.stringMatching(/^quote_[\w-]{36}$/) as string,
        payee: {
          name: expect.stringMatching(/^[A-Z ]+$/) as string,
          name_from: 'bank',
          bank: expect.stringMatching(/^[A-Z ]+$/) as string,
        },
        local: BAHT,
        rate: '34.50',
        expires_at: '2025-01-15T00:01:00.000Z',
      },
    });
    expect(await provider.journal()).toEqual([]);
  });

  it('is at 25 400 dong a dollar in Vietnam', async () => {
    const change = { corridor: 'vn_qrpay', qr_payload: codeOf('vn_qrpay') };
    const { body } = await provider.quote(change);
    expect(body).toMatchObject({ rate: '25400', local: { currency: 'VND', amount: 317_500 } });
  });

  it('of a code with an amount is for exactly that amount', async () => {
    const { body } = await provider.quote({ qr_payload: aThaiCode({ '54': '98.73' }) });
    expect(body).toMatchObject({ local: { currency: 'THB', amount: 9_873 } });
  });

  it('names the same payee for the same payee, whatever the amount', async () => {
    const names = [
      await quoted({ qr_payload: aThaiCode() }),
      await quoted({ qr_payload: aThaiCode({ '54': '1' }), amount_usd_cents: 7 }),
    ].map(({ payee }) => payee.name);
    expect(names[0]).toBe(names[1]);
  });

  it('of 40011 has no name of a payee', async () => {
    const { payee } = await quoted({ amount_usd_cents: 40_011 });
    expect(payee).toEqual({ name: null, name_from: null, bank: null });
  });

  it.each([
    ['no code', 'hello'],
    ['a code of the other corridor', aVietnameseCode()],
    ['a code with a wrong check value', `${aThaiCode().slice(0, -4)}0000`],
  ])('is refused for %s', async (_what, code) => {
    expect(await provider.quote({ qr_payload: code })).toEqual(refusal('payee_unknown'));
  });

  it.each([
    ['no code', { qr_payload: null }],
    ['a code that is no text', { qr_payload: 1 }],
    ['no amount', { amount_usd_cents: null }],
    ['an unknown corridor', { corridor: 'us_qrpay' }],
  ])('is 400 with %s', async (_what, change) => {
    expect((await provider.quote(change)).status).toBe(400);
  });
});

describe('an order', () => {
  it('with its quote and local amount is paid, and repeats are too after the expiry', async () => {
    const { quote_id: quoteId } = await quoted();
    const terms = { quote_id: quoteId, local: BAHT };
    expect(await post(terms)).toEqual(payoutReply(KEY, 'paid', 1_250));
    provider.time.advance(60_000);
    await provider.restart();
    expect(await post(terms)).toEqual(payoutReply(KEY, 'paid', 1_250));
    expect(await provider.journal()).toHaveLength(1);
  });

  it('pays the amount of its code, also after a restart', async () => {
    const local = { currency: 'THB', amount: 9_873 };
    const { body: paid } = payoutReply(KEY, 'paid', 1_250);
    const answer = { status: 200, body: { ...(paid as object), local } };
    expect(await post({ qr_payload: aThaiCode({ '54': '98.73' }), local })).toEqual(answer);
    await provider.restart();
    expect(await provider.get(KEY)).toEqual(answer);
  });

  it.each([
    ['unknown', 1_250, () => 'quote_1', 0],
    ['of another amount', 1_251, (id: string) => id, 0],
    ['60 s old', 1_250, (id: string) => id, 60_000],
  ])('with a quote that is %s is refused and not executed', async (_what, cents, idOf, ms) => {
    const { quote_id: quoteId } = await quoted();
    provider.time.advance(ms);
    expect(await post({ quote_id: idOf(quoteId) }, cents)).toEqual(refusal('rate_expired', KEY));
    expect((await provider.get(KEY)).status).toBe(404);
    expect(await provider.journal()).toEqual([]);
  });

  it.each([
    ['of another code', { qr_payload: aThaiCode() }],
    ['without its code', { qr_payload: null }],
  ])('with a quote %s is refused', async (_what, change) => {
    const { quote_id: quoteId } = await quoted();
    expect(await post({ quote_id: quoteId, ...change })).toEqual(refusal('rate_expired', KEY));
  });

  it('of 40012 is refused from 1 s after its quote, and paid with a new one', async () => {
    const { quote_id: quoteId } = await quoted({ amount_usd_cents: 40_012 });
    provider.time.advance(1_000);
    expect(await post({ quote_id: quoteId }, 40_012)).toEqual(refusal('rate_expired', KEY));
    const { quote_id: next } = await quoted({ amount_usd_cents: 40_012 });
    const paid = payoutReply(KEY, 'paid', 40_012);
    expect(await post({ quote_id: next }, 40_012)).toEqual(paid);
  });

  it.each([
    ['the quote’s', async () => ({ quote_id: (await quoted()).quote_id })],
    ['the rate’s', () => Promise.resolve({})],
    ['the code’s', () => Promise.resolve({ qr_payload: aThaiCode({ '54': '98.73' }) })],
  ])('with another local amount than %s is refused and not executed', async (_what, terms) => {
    const local = { ...BAHT, amount: 43_126 };
    const answer = await post({ ...(await terms()), local });
    expect(answer).toEqual(refusal('amount_differs', KEY));
    expect(await provider.journal()).toEqual([]);
  });

  it('with a code that names no payee is refused', async () => {
    expect(await post({ qr_payload: '000201' })).toEqual(refusal('payee_unknown', KEY));
  });

  it('with the key of an order of another local amount is 409', async () => {
    await post({ local: BAHT });
    expect((await post({ local: { ...BAHT, amount: 1 } })).status).toBe(409);
  });

  it.each([
    ['local without a currency', { local: { amount: 1 } }],
    ['half a satang', { local: { currency: 'THB', amount: 0.5 } }],
    ['a quote that is no text', { quote_id: 1 }],
  ])('is 400 with %s', async (_what, change) => {
    expect((await post(change)).status).toBe(400);
  });

  it('leaves no code and no name of a payee in the files', async () => {
    const { quote_id: quoteId, payee } = await quoted({ amount_usd_cents: 40_004 });
    await post({ quote_id: quoteId }, 40_004);
    const text = await readFile(join(provider.folder, 'payout-notes.jsonl'), 'utf8');
    expect(text).toContain(KEY);
    expect(text).not.toContain(codeOf('th_qrpay'));
    expect(text).not.toContain(payee.name);
  });
});

describe('the balance', () => {
  it('is of the sandbox, in dollars, and needs the credential', async () => {
    const available = '2000000000000.00';
    const body = { currency: 'USD', available, environment: 'sandbox' };
    expect(await provider.call('/balance')).toEqual({ status: 200, body });
    const headers = { authorization: 'Bearer other' };
    expect((await provider.call('/balance', { headers })).status).toBe(401);
  });

  it('falls by each payment once, and by no order that is pending or declined', async () => {
    const before = await provider.availableCents();
    await post({});
    await post({});
    await provider.post({ key: 'pi_2', amount: 40_001 });
    await provider.post({ key: 'pi_3', amount: 40_004 });
    expect(before - (await provider.availableCents())).toBe(1_250);
    provider.time.advance(3_000);
    await provider.restart();
    expect(before - (await provider.availableCents())).toBe(41_254);
  });

  it('rises again when a payment is returned', async () => {
    const before = await provider.availableCents();
    await post({}, 40_010);
    expect(before - (await provider.availableCents())).toBe(40_010);
    provider.time.advance(3_000);
    expect(await provider.availableCents()).toBe(before);
  });
});
