// POST /flow/<intent_id>/quote: who would be paid by a scanned code, and how much (decision 155).
import { anIntent, anIntentId, countOf, times } from '../../support/builders';
import { bearer } from '../../support/app';
import { until } from '../../../src/dev/until';
import { QUOTES_UNDER_WAY_MAX } from '../../../src/domain/payouts/limits';
import type { Inquiry, InquiryAnswer } from '../../../src/ports/payout-provider';
import { aThaiCode, aVietnameseCode, TH_BILL } from '../../support/payments/qr-codes';
import { withServers } from '../../support/servers/counted-servers';
import { quoterAt, withQuotes } from './quote-world';

const CODE = aThaiCode();
const ANOTHER = aThaiCode({ '29': null, '30': TH_BILL });
const WITH_AMOUNT = aThaiCode({ '54': '431.00' });
const world = withQuotes();
const { bed, app, partner, quote, quoted, begin } = world;

const storedFor = ({ intentId }: { readonly intentId: string }) =>
  countOf(bed, 'select count(*) from quotes where intent_id = $1', [intentId]);

describe('a quote', () => {
  it('says who gets how much, until when, and consumes no token', async () => {
    const [intent, token] = await begin();
    const first = await quoted(intent, token, CODE);
    expect(first).toEqual({
      quote_id: expect.stringMatching(/^quote_[0-9a-hjkmnp-tv-z]{26}$/) as string,
      payee: { name: expect.stringMatching(/^[A-Z ]+$/) as string, verified: true },
      local: { currency: 'THB', amount: 43_125 },
      rate: '34.50',
      expires_at: '2026-03-02T12:01:00.000Z',
    });
    expect((await quoted(intent, token, CODE)).quote_id).not.toBe(first.quote_id);
    expect(await app.get(intent, token)).toMatchObject({ status: 200 });
  });

  it('expires when the provider’s does, if that is earlier', async () => {
    const [intent, token] = await begin(40_012);
    const { expires_at: expiresAt } = await quoted(intent, token, CODE);
    expect(expiresAt).toBe('2026-03-02T12:00:01.000Z');
  });

  it('may name no payee', async () => {
    const [intent, token] = await begin(40_011);
    const { payee } = await quoted(intent, token, CODE);
    expect(payee).toEqual({ name: null, verified: false });
  });

  it('of a code with an amount is for that amount', async () => {
    const [intent, token] = await begin();
    const { local } = await quoted(intent, token, WITH_AMOUNT);
    expect(local).toEqual({ currency: 'THB', amount: 43_100 });
  });

  it.each(['425.00', '432.00'])(
    'is refused for a code over %s baht, which the payment is not worth',
    async (baht) => {
      const [intent, token] = await begin();
      const code = aThaiCode({ '54': baht });
      const { status, text } = await quote(intent, token, { qr_payload: code });
      expect([status, text]).toEqual([422, expect.stringContaining('"amount_differs"')]);
    },
  );

  it('and its request leave neither code nor payee in the log', async () => {
    const [intent, token] = await begin();
    const { payee } = await quoted(intent, token, CODE);
    expect(app.lines.join()).toContain(intent.intentId);
    expect(app.lines.join()).not.toContain(payee.name);
    expect(app.lines.join()).not.toContain(CODE.slice(0, 20));
  });
});

describe('the request is rejected', () => {
  it('with 401 for a used token or a settled intent, 403 for another intent, 404 for none', async () => {
    const [intent, token] = await begin();
    const [another] = await begin();
    const nowhere = { ...intent, intentId: anIntentId() };
    const settled = await anIntent(bed, partner, { status: 'captured' });
    app.mode = 'authorize';
    await app.confirm(another, world.mint(another));
    const spent = world.mint(another);
    await app.confirm(another, spent);
    const replies = [
      await quote(intent, 'a.b.c', { qr_payload: CODE }),
      await quote(settled, world.mint(settled), { qr_payload: CODE }),
      await quote(another, spent, { qr_payload: CODE }),
      await quote(another, token, { qr_payload: CODE }),
      await quote(nowhere, world.mint(nowhere), { qr_payload: CODE }),
      await quote(another, world.mint(another), { qr_payload: CODE }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 403, 404, 409]);
    expect([await storedFor(intent), await storedFor(another)]).toEqual([0, 0]);
  });

  it.each([
    [{}],
    [{ qr_payload: 'nonsense' }],
    [{ qr_payload: ` ${CODE}` }],
    [{ qr_payload: aVietnameseCode() }],
    [{ qr_payload: CODE, amount: 1 }],
  ])('with 400 for the body %j', async (body) => {
    const [intent, token] = await begin();
    expect(await quote(intent, token, body)).toMatchObject({ status: 400 });
    expect(await storedFor(intent)).toBe(0);
  });

  it('with 400 where the body is not declared as JSON', async () => {
    const [{ intentId }, token] = await begin();
    const path = `/flow/${intentId}/quote`;
    const body = JSON.stringify({ qr_payload: CODE });
    const reply = await app.send({ method: 'POST', path, headers: bearer(token), body });
    expect(reply.status).toBe(400);
  });
});

describe('an intent has', () => {
  const codeNumber = (number: number) => aThaiCode({ '59': `SHOP ${String(number)}` });

  it('at most five codes', async () => {
    const [intent, token] = await begin();
    for (const number of [1, 2, 3, 4, 5]) await quoted(intent, token, codeNumber(number));
    const sixth = await quote(intent, token, { qr_payload: codeNumber(6) });
    expect(sixth).toMatchObject({ status: 429, headers: { 'retry-after': '1800' } });
    await quoted(intent, token, codeNumber(5));
    expect(await storedFor(intent)).toBe(6);
  });

  it('at most twenty quotes', async () => {
    const [intent, token] = await begin();
    for (let made = 0; made < 20; made += 1) await quoted(intent, token, CODE);
    expect(await quote(intent, token, { qr_payload: CODE })).toMatchObject({ status: 429 });
    expect(await storedFor(intent)).toBe(20);
  });
});

it('a partner has a bucket of quotes, which fills again', async () => {
  const [intent, token] = await begin();
  const text = `insert into partner_quotes (partner_id, full_at)
    select $1, service_now() + interval '10.001 s'
        on conflict (partner_id) do update set full_at = excluded.full_at`;
  await bed.database.query({ text, values: [partner.partnerId] });
  const reply = await quote(intent, token, { qr_payload: CODE });
  expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  await world.setSeconds(1);
  await quoted(intent, token, CODE);
  const left = 'select extract(epoch from full_at - service_now()) as count from partner_quotes';
  expect(await countOf(bed, left)).toBeCloseTo(9.021, 3);
});

const servers = withServers();

describe('while the provider of a corridor is silent', () => {
  it('an intent has one request, and the other corridor is not delayed', async () => {
    let reached: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (reached = resolve));
    const { port } = await servers.http(() => reached());
    const silent = quoterAt(`http://127.0.0.1:${port}`);
    world.setProvider(silent);
    const [intent, token] = await begin();
    const waiting = quote(intent, token, { qr_payload: CODE });
    await asked;
    const second = await quote(intent, token, { qr_payload: ANOTHER });
    expect(second).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    const [other, itsToken] = await begin(1_250, 'vn_qrpay');
    await expect(quoted(other, itsToken, aVietnameseCode())).resolves.toMatchObject({
      local: { currency: 'VND', amount: 317_500 },
    });
    servers.closeAll();
    expect(await waiting).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    world.setProvider(world.sandbox.quoter);
    await quoted(intent, token, CODE);
    await silent.close();
  });

  it('the API holds at most 100 requests, and others are 503 at once', async () => {
    const ends: (() => void)[] = [];
    const inquire = () =>
      new Promise<InquiryAnswer>((resolve) => {
        ends.push(() => resolve({ outcome: 'unknown', cause: 'timeout after 5 s' }));
        if (ends.length > QUOTES_UNDER_WAY_MAX) ends.at(-1)?.();
      });
    world.setProvider({ ...world.sandbox.quoter, inquire });
    const waiting = times(QUOTES_UNDER_WAY_MAX, async () => {
      const [intent, token] = await begin();
      return quote(intent, token, { qr_payload: CODE });
    });
    await until(() => ends.length === QUOTES_UNDER_WAY_MAX, { timeoutMs: 60_000 });
    const [intent, token] = await begin();
    const beyond = await quote(intent, token, { qr_payload: CODE });
    const elsewhere = await quote(...(await begin(1_250, 'vn_qrpay')), {
      qr_payload: aVietnameseCode(),
    });
    const held = ends.length;
    for (const end of ends) end();
    expect((await waiting).every(({ status }) => status === 503)).toBe(true);
    expect([beyond.status, held, elsewhere.status]).toEqual([503, QUOTES_UNDER_WAY_MAX, 200]);
    world.setProvider(world.sandbox.quoter);
    await quoted(intent, token, CODE);
  });
});

it('a request whose process died holds the place of its intent for a while only', async () => {
  const [intent, token] = await begin();
  await bed.quotes.begin(intent.intentId, CODE);
  expect(await quote(intent, token, { qr_payload: CODE })).toMatchObject({ status: 429 });
  await world.setSeconds(60);
  await quoted(intent, token, CODE);
});

it.each([0, 1])('of simultaneous requests after %d quotes one begins', async (earlier) => {
  const [intent, token] = await begin();
  for (let made = 0; made < earlier; made += 1) await quoted(intent, token, CODE);
  const denials = await times(8, () => bed.quotes.begin(intent.intentId, CODE));
  expect(denials.filter((denial) => denial === undefined)).toHaveLength(1);
  expect(denials.filter((denial) => denial?.why === 'busy')).toHaveLength(7);
});

describe('what the provider answers', () => {
  const quotedAs = (inquiry: Partial<Inquiry>): InquiryAnswer => ({
    outcome: 'quoted',
    inquiry: {
      ...{ payee: null, local: { currency: 'THB', minor: 43_125 }, token: null, firmUntil: null },
      cost: { currency: 'USDT', debited: '12.499999', fee: null, rate: null },
      ...inquiry,
    },
  });
  const cost = (debited: string) => ({
    cost: { ...({ currency: 'USDT', debited, fee: null, rate: null } as const) },
  });
  const answered = async (answer: InquiryAnswer, code = CODE) => {
    world.setProvider({ ...world.sandbox.quoter, inquire: () => Promise.resolve(answer) });
    const [intent, token] = await begin();
    const reply = await quote(intent, token, { qr_payload: code });
    return { status: reply.status, ...(JSON.parse(reply.text) as Record<string, unknown>) };
  };

  it.each<[string, InquiryAnswer, string]>([
    ['a refusal', { outcome: 'refused', code: 'payee_closed' }, 'payee_closed'],
    ['a cost above the bound', quotedAs(cost('12.500001')), 'rate_expired'],
    ['a cost far below the payment', quotedAs(cost('12.48')), 'rate_expired'],
    ['another currency', quotedAs({ local: { currency: 'VND', minor: 1 } }), 'amount_differs'],
    ['no amount', quotedAs({ local: null }), 'other'],
  ])('%s is 422', async (_what, answer, error) => {
    const message = `The scanned code cannot be paid: ${error.replaceAll('_', ' ')}.`;
    expect(await answered(answer)).toEqual({ status: 422, error, message });
  });

  it('another amount than that of the code is 422', async () => {
    expect(await answered(quotedAs({}), WITH_AMOUNT)).toMatchObject({
      ...{ status: 422, error: 'amount_differs' },
    });
  });

  it.each<[string, InquiryAnswer]>([
    ['no readable answer', { outcome: 'unknown', cause: 'timeout after 5 s' }],
    ['no cost', quotedAs({ cost: null })],
  ])('%s is 503', async (_what, answer) => {
    expect(await answered(answer)).toMatchObject({ status: 503 });
  });

  it('a name that is not the bank’s is not verified, and one that cannot be shown is left out', async () => {
    const named = (name: string) => ({ payee: { name, nameFrom: 'code', bank: null } as const });
    expect(await answered(quotedAs(named('SOMCHAI')))).toMatchObject({
      payee: { name: 'SOMCHAI', verified: false },
    });
    expect(await answered(quotedAs(named('SOM\u202ECHAI\0')))).toMatchObject({
      payee: { name: null, verified: false },
    });
  });
});
