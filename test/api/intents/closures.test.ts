// A closed corridor and a suspended partner (decision 158): nothing begins there, and everything
// else goes on.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { withApi } from '../../support/brackets';
import { anIntent, countOf, findExisting, move } from '../../support/builders';
import { GOOD_CREATE, pathOf } from '../../support/app';
import { moveDoor } from '../../support/operators';
import { mintToken } from '../../support/payments/partner';

const { bed, app, partner, other } = withApi({});

const close = () => moveDoor(bed.database, 'corridors close', 'th_qrpay');
const open = () => moveDoor(bed.database, 'corridors open', 'th_qrpay');
const suspend = () => moveDoor(bed.database, 'partners suspend', partner.partnerId);
const openBoth = async () => {
  await open();
  await moveDoor(bed.database, 'partners resume', partner.partnerId);
};
afterEach(openBoth);

const tokenOf = (intent: PaymentIntent, who = partner) => mintToken(who, intent);
const confirm = (intent: PaymentIntent, who = partner) => app.confirm(intent, tokenOf(intent, who));
const cancel = (intent: PaymentIntent) =>
  app.sendSigned(partner, { method: 'POST', path: pathOf(intent, 'cancel') });
const statusOf = async ({ intentId }: PaymentIntent) => (await findExisting(bed, intentId)).status;

const intentsIn = () => countOf(bed, 'select count(*) from payment_intents');

describe.each([
  {
    ...{ what: 'a closed corridor', shut: close, created: 503, confirmed: 503, retryAfter: '60' },
    message: 'The corridor is closed for now. Nothing was done.',
  },
  {
    ...{ what: 'a suspended partner', shut: suspend, created: 403, confirmed: 409 },
    retryAfter: undefined,
    message: 'The partner is suspended. Nothing was done.',
  },
])('$what', ({ shut, created, confirmed, retryAfter, message }) => {
  it('creates nothing', async () => {
    await shut();
    const before = await intentsIn();
    const reply = await app.create(partner);
    expect([reply.status, reply.headers['retry-after']]).toEqual([created, retryAfter]);
    expect(reply.text).toContain(message);
    await expect(intentsIn()).resolves.toBe(before);
  });

  it('repeats what it has created', async () => {
    const key = { 'Idempotency-Key': 'order-1' };
    const first = await app.create(partner, GOOD_CREATE, key);
    await shut();
    const repeated = await app.create(partner, GOOD_CREATE, key);
    expect([repeated.status, repeated.text]).toEqual([201, first.text]);
  });

  it('confirms nothing, and the token stays unused', async () => {
    const intent = await anIntent(bed, partner);
    const token = tokenOf(intent);
    await shut();
    const reply = await app.confirm(intent, token);
    expect([reply.status, reply.headers['retry-after']]).toEqual([confirmed, retryAfter]);
    expect(reply.text).toContain(message);
    await expect(statusOf(intent)).resolves.toBe('created');
    await openBoth();
    expect((await app.confirm(intent, token)).status).toBe(200);
  });

  it('reads and cancels, and answers for what is authorized', async () => {
    const [created, authorized] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    await move(bed, authorized.intentId, 'authorize');
    await shut();
    expect((await app.get(created, tokenOf(created))).status).toBe(200);
    expect((await cancel(created)).status).toBe(200);
    expect((await confirm(authorized)).status).toBe(200);
  });

  it('authorizes nothing in the statement itself, whatever was read before', async () => {
    const intent = await anIntent(bed, partner);
    await shut();
    await expect(move(bed, intent.intentId, 'authorize')).resolves.not.toMatchObject({
      outcome: 'did',
    });
    await expect(statusOf(intent)).resolves.toBe('created');
  });

  it('shows the page that no payment begins', async () => {
    const intent = await anIntent(bed, partner);
    await shut();
    const path = `/flow/${intent.intentId}/session`;
    const headers = { Authorization: `Bearer ${tokenOf(intent)}` };
    const { text } = await app.send({ path, headers });
    expect(JSON.parse(text)).toMatchObject({ status: 'created', is_open: false });
  });
});

it('a closed corridor leaves the other one, and a suspended partner the others', async () => {
  await close();
  const there = { ...GOOD_CREATE, corridor: 'vn_qrpay' };
  expect((await app.create(partner, there)).status).toBe(201);
  await open();
  await suspend();
  const intent = await anIntent(bed, other);
  expect((await app.create(other)).status).toBe(201);
  expect((await confirm(intent, other)).status).toBe(200);
});

it('a second closure changes nothing, and one of both is a suspension', async () => {
  await expect(close()).resolves.toBe(true);
  await expect(close()).resolves.toBe(false);
  await suspend();
  expect((await app.create(partner)).status).toBe(403);
  await expect(open()).resolves.toBe(true);
  await expect(open()).resolves.toBe(false);
});
