// Real races of fifty requests: exactly one of them wins a nonce, a `jti` or an idempotency key
// (protocol 3.4, 4.8 and 5.3; decisions 6, 12 and 14).
import { GOOD_CREATE, type Reply } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent, aNonce, countOf, findExisting, times } from '../../support/builders';
import { mintToken, sign } from '../../support/payments/partner';

const FIFTY = 50;
const CREATE = { method: 'POST', path: '/v1/payment_intents' };
const BODY = JSON.stringify(GOOD_CREATE);

const { bed, app, partner } = withApi({ poolSize: 16 });
let key: Readonly<Record<string, string>>;
beforeEach(async () => {
  key = { 'Idempotency-Key': aNonce() };
  app.begun.length = 0;
  await bed.database.query({ text: 'truncate request_nonces, used_tokens' });
});

const statusesOf = (replies: readonly Reply[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const rowsOf = (table: 'payment_intents' | 'request_nonces' | 'used_tokens') =>
  countOf(bed, `select count(*) from ${table}`);

describe('fifty copies of one signed create', () => {
  it.each([
    ['without an idempotency key', () => ({})],
    ['with an idempotency key', () => key],
  ])('%s: one is 201, the others are 401, and there is one row', async (_name, more) => {
    const before = await rowsOf('payment_intents');
    const headers = { ...sign(partner, { ...CREATE, body: BODY }), ...more() };
    const replies = await times(FIFTY, () => app.create(partner, BODY, headers));
    expect(statusesOf(replies)).toEqual({ 201: 1, 401: 49 });
    expect(await rowsOf('payment_intents')).toBe(before + 1);
    expect(await rowsOf('request_nonces')).toBe(1);
    expect(app.begun).toHaveLength(1);
  });
});

describe('fifty creates with one idempotency key and body, each with its own nonce', () => {
  it('make one intent, and all get its 201, byte for byte', async () => {
    const before = await rowsOf('payment_intents');
    const replies = await times(FIFTY, () => app.create(partner, BODY, key));
    expect(statusesOf(replies)).toEqual({ 201: 50 });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const replayed = replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(replayed).toHaveLength(49);
    expect(await rowsOf('payment_intents')).toBe(before + 1);
    expect(await rowsOf('request_nonces')).toBe(50);
    expect(app.begun).toHaveLength(1);
  });

  it('of fifty bodies make one intent: one is 201, the others are 400', async () => {
    const before = await rowsOf('payment_intents');
    const replies = await times(FIFTY, (index) =>
      app.create(partner, BODY.replace('4711', String(index)), key),
    );
    expect(statusesOf(replies)).toEqual({ 201: 1, 400: 49 });
    expect(await rowsOf('payment_intents')).toBe(before + 1);
  });
});

describe('fifty confirms', () => {
  const payoutsOf = (intentId: string) =>
    countOf(bed, 'select count(*) from payouts where intent_id = $1', [intentId]);

  it.each([
    ['settle', 'captured', 1],
    ['authorize', 'authorized', 0],
  ] as const)(
    'with one token: exactly one is 200 and the others are 401 (workflow mode %s)',
    async (mode, status, payouts) => {
      app.mode = mode;
      const intent = await anIntent(bed, partner);
      const token = mintToken(partner, intent);
      const replies = await times(FIFTY, () => app.confirm(intent, token));
      expect(statusesOf(replies)).toEqual({ 200: 1, 401: 49 });
      expect((await findExisting(bed, intent.intentId)).status).toBe(status);
      expect([await rowsOf('used_tokens'), await payoutsOf(intent.intentId)]).toEqual([1, payouts]);
    },
  );

  it('with one jti for two intents confirm one of the two, once', async () => {
    const intents = [await anIntent(bed, partner), await anIntent(bed, partner)];
    const tokens = intents.map((intent) => mintToken(partner, intent, { jti: 'of both' }));
    const replies = await times(FIFTY, (index) =>
      app.confirm(intents[index % 2] ?? { intentId: '' }, tokens[index % 2] ?? ''),
    );
    expect(statusesOf(replies)).toEqual({ 200: 1, 401: 49 });
    const paid = await Promise.all(intents.map(({ intentId }) => payoutsOf(intentId)));
    expect(paid.sort()).toEqual([0, 1]);
    expect(await rowsOf('used_tokens')).toBe(1);
  });
});
