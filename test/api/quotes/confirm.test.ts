// A confirm with a quote (decision 155): it authorizes on the terms that the payer was shown, until
// the quote expires by the clock of Postgres.
import { byCorridor } from '../../../src/corridors/names';
import { PAYEE_KINDS } from '../../../src/corridors/scheme';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { aTokenUse, intentsWithin, move } from '../../support/builders';
import { aThaiCode } from '../../support/payments/qr-codes';
import { untilBlocked } from '../../support/until-blocked';
import { shownOf, withQuotes, type WireQuote } from './quote-world';

const CODE = aThaiCode();
const WITH_AMOUNT = aThaiCode({ '54': '431.00' });
const world = withQuotes();
const { bed, app, partner, begin, quoted, confirm, mint } = world;

const bodyOf = (quote: WireQuote, change: object = {}, code = CODE) => ({
  ...{ qr_payload: code, quote_id: quote.quote_id, shown: shownOf(quote) },
  ...change,
});

async function aQuoted(code = CODE) {
  const [intent, token] = await begin();
  return { intent, token, quote: await quoted(intent, token, code) };
}

/** The code, amount and quote that the intent was authorized with, and what was shown. */
async function adopted({ intentId }: PaymentIntent): Promise<unknown> {
  const { rows } = await bed.database.query({
    text: `select p.local_minor::int as local, p.quote_id, q.shown
             from confirm_payloads p left join quotes q on q.quote_id = p.quote_id and q.is_adopted
            where p.intent_id = $1 and p.is_adopted`,
    values: [intentId],
  });
  return rows[0];
}

it('authorizes with the amount of the quote, and keeps what the payer was shown', async () => {
  const { intent, token, quote } = await aQuoted();
  expect(await confirm(intent, token, bodyOf(quote))).toMatchObject({ status: 200 });
  expect(app.codesFor(intent)).toEqual([CODE]);
  expect(await adopted(intent)).toEqual({
    ...{ local: 43_125, quote_id: quote.quote_id, shown: shownOf(quote) },
  });
  expect(app.lines.join()).not.toContain(quote.payee.name);
});

it('needs nothing shown', async () => {
  const { intent, token, quote } = await aQuoted();
  const reply = await confirm(intent, token, bodyOf(quote, { shown: undefined }));
  expect(reply.status).toBe(200);
  expect(await adopted(intent)).toMatchObject({ quote_id: quote.quote_id, shown: null });
});

describe('is 400, and the token stays usable,', () => {
  const expectInvalid = async (
    { intent, token, quote }: Awaited<ReturnType<typeof aQuoted>>,
    change: object,
    message: RegExp,
  ) => {
    const reply = await confirm(intent, token, bodyOf(quote, change));
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toMatchObject({
      message: expect.stringMatching(message) as string,
    });
    expect(await confirm(intent, token, bodyOf(quote))).toMatchObject({ status: 200 });
  };

  it('with a quote of another intent', async () => {
    const other = await aQuoted();
    const change = { quote_id: other.quote.quote_id };
    await expectInvalid(await aQuoted(), change, /^quote_id is not a quote of this payment/);
  });

  it('with a quote of another code', async () => {
    const message = /^quote_id is not a quote of this payment and qr_payload\.$/;
    await expectInvalid(await aQuoted(), { qr_payload: WITH_AMOUNT }, message);
  });

  it.each([
    [{ quote_id: 'quote_1' }, /^quote_id is not the id of a quote\.$/],
    [{ quote_id: `quote_${'0'.repeat(26)}` }, /^quote_id is not a quote of this payment/],
    [{ qr_payload: undefined }, /^quote_id needs qr_payload/],
    [{ quote_id: undefined }, /^shown needs quote_id/],
    [{ shown: {} }, /^shown is not what a quote shows/],
    [{ shown: 'all' }, /^shown/],
  ])('with %j', async (change, message) => {
    await expectInvalid(await aQuoted(), change, message);
  });

  it.each([
    ['payee', (quote: WireQuote) => ({ payee: { ...quote.payee, name: 'NOBODY' } })],
    ['verified', (quote: WireQuote) => ({ payee: { ...quote.payee, verified: false } })],
    ['local', () => ({ local: { currency: 'THB', amount: 43_124 } })],
    ['currency', () => ({ local: { currency: 'VND', amount: 43_125 } })],
    ['rate', () => ({ rate: '34.51' })],
    ['no rate', () => ({ rate: null })],
  ])('if another %s was shown', async (_what, changeOf) => {
    const given = await aQuoted();
    const shown = { ...shownOf(given.quote), ...changeOf(given.quote) };
    await expectInvalid(given, { shown }, /^shown differs from the quote\.$/);
  });
});

describe('after the quote has expired', () => {
  it('is 409, and the same token works with a fresh quote', async () => {
    const { intent, token, quote } = await aQuoted();
    await world.setSeconds(60);
    expect(await confirm(intent, token, bodyOf(quote))).toMatchObject({
      status: 409,
      text: '{"error":"conflict","message":"The quote has expired."}',
    });
    const fresh = await quoted(intent, token, CODE);
    expect(await confirm(intent, token, bodyOf(fresh))).toMatchObject({ status: 200 });
    expect(await adopted(intent)).toMatchObject({ quote_id: fresh.quote_id });
  });

  it('works until then', async () => {
    const { intent, token, quote } = await aQuoted();
    await world.setSeconds(59.999);
    expect(await confirm(intent, token, bodyOf(quote))).toMatchObject({ status: 200 });
  });

  it('authorizes nothing if it expires between its check and the statement that authorizes', async () => {
    const { intent, quote } = await aQuoted();
    const token = aTokenUse(partner);
    const { intentId } = intent;
    const payload = { qrPayload: CODE, quoteId: quote.quote_id };
    const authorize = () => move(bed, intentId, 'authorize', { actor: 'payer', token });
    expect(await bed.tokens.storePayload(intentId, token, payload)).toBe('stored');
    await world.setSeconds(60);
    await expect(authorize()).resolves.toMatchObject({ outcome: 'not_allowed' });
    expect(await bed.tokens.storePayload(intentId, token, payload)).toBe('quote_expired');
    const fresh = await quoted(intent, mint(intent), CODE);
    const again = { qrPayload: CODE, quoteId: fresh.quote_id };
    expect(await bed.tokens.storePayload(intentId, token, again)).toBe('stored');
    await expect(authorize()).resolves.toMatchObject({ outcome: 'did' });
    expect(await adopted(intent)).toMatchObject({ quote_id: fresh.quote_id });
  });

  it('says so only when no authorize is under way that began before', async () => {
    const { intent, quote } = await aQuoted();
    const token = aTokenUse(partner);
    const { intentId } = intent;
    const payload = { qrPayload: CODE, quoteId: quote.quote_id };
    await bed.tokens.storePayload(intentId, token, payload);
    let repeat: ReturnType<typeof bed.tokens.storePayload> | undefined;
    await bed.database.inTransaction(async (connection) => {
      const within = { intents: intentsWithin(connection) };
      await move(within, intentId, 'authorize', { actor: 'payer', token });
      await world.setSeconds(60);
      repeat = bed.tokens.storePayload(intentId, token, payload);
      await untilBlocked(connection);
    });
    await expect(repeat).resolves.toBe('not_created');
  });

  it('a repeat for an authorized intent is answered by its rows', async () => {
    app.mode = 'authorize';
    const { intent, token, quote } = await aQuoted();
    await confirm(intent, token, bodyOf(quote));
    await world.setSeconds(120);
    expect(await confirm(intent, mint(intent), bodyOf(quote))).toMatchObject({ status: 200 });
  });
});

describe('of two confirms with different quotes', () => {
  it('of one token the first is adopted, and the other is 409', async () => {
    app.mode = 'authorize';
    const { intent, token, quote } = await aQuoted();
    const other = await quoted(intent, token, CODE);
    expect(await confirm(intent, token, bodyOf(quote))).toMatchObject({ status: 200 });
    const use = mint(intent);
    expect(await confirm(intent, use, bodyOf(other))).toMatchObject({ status: 409 });
    expect(await confirm(intent, use, bodyOf(quote))).toMatchObject({ status: 200 });
    expect(await adopted(intent)).toMatchObject({ quote_id: quote.quote_id });
  });

  it('at the same time one is 200, and the adopted one is its quote', async () => {
    for (let round = 0; round < 10; round += 1) {
      app.mode = 'authorize';
      const { intent, token, quote } = await aQuoted();
      const quotes = [quote, await quoted(intent, token, CODE)];
      const tokens = round % 2 === 0 ? [token, token] : [mint(intent), mint(intent)];
      const replies = await Promise.all(
        quotes.map((one, index) => confirm(intent, tokens[index] ?? '', bodyOf(one))),
      );
      const statuses = replies.map(({ status }) => status);
      // The same token may have been spent when the other request is read.
      const [accepted, rejected] = [...statuses].sort();
      expect(accepted).toBe(200);
      expect(round % 2 === 0 ? [401, 409] : [409]).toContain(rejected);
      const winner = quotes[statuses.indexOf(200)];
      expect(await adopted(intent)).toMatchObject({ quote_id: winner?.quote_id });
    }
  });
});

it('without a quote adopts none, also where the token came with one that has expired', async () => {
  const { intent, token, quote } = await aQuoted();
  app.mode = 'no_answer';
  expect(await confirm(intent, token, bodyOf(quote))).toMatchObject({ status: 503 });
  app.mode = 'authorize';
  await world.setSeconds(60);
  expect(await confirm(intent, token, { qr_payload: CODE })).toMatchObject({ status: 200 });
  expect(await adopted(intent)).toEqual({ local: null, quote_id: null, shown: null });
});

describe('where a quote is required', () => {
  const strict = withQuotes({
    isQuoteRequired: byCorridor((corridor) => corridor === 'th_qrpay'),
    needsLocal: byCorridor(() => true),
    codeRules: byCorridor(() => ({ payeeKinds: PAYEE_KINDS, isCodeAmountAllowed: false })),
  });

  it.each([{}, { qr_payload: CODE }])('the confirm %j is 400', async (body) => {
    const [intent, token] = await strict.begin();
    expect(await strict.confirm(intent, token, body)).toMatchObject({
      status: 400,
      text: '{"error":"validation_failed","message":"quote_id is required for this corridor."}',
    });
    const quote = await strict.quoted(intent, token, CODE);
    expect(await strict.confirm(intent, token, bodyOf(quote))).toMatchObject({ status: 200 });
  });

  it('a quoted code may have an amount, whatever is set for others', async () => {
    const [intent, token] = await strict.begin();
    const quote = await strict.quoted(intent, token, WITH_AMOUNT);
    const body = bodyOf(quote, {}, WITH_AMOUNT);
    expect(await strict.confirm(intent, token, body)).toMatchObject({ status: 200 });
  });
});
