// What the checkout's questions cost Postgres: one read each, and nothing durable, whether they are answered or refused.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createMemoryKeySets, startApp, type TestApp } from '../support/app';
import { anIntent, type TestBed } from '../support/builders';
import { openCostedBed, type CostedBed } from '../support/costed-bed';
import { aPartner, mintToken, type TestPartner } from '../support/partner';
import { BAD_TOKENS } from './bad-tokens';

let costed: CostedBed;
let bed: TestBed;
let app: TestApp;
let partner: TestPartner;
let other: TestPartner;
let intent: PaymentIntent;

beforeAll(async () => {
  costed = await openCostedBed();
  ({ bed } = costed);
  [partner, other] = [await aPartner(bed), await aPartner(bed)];
  app = await startApp(bed, { keySets: createMemoryKeySets([partner, other]) });
  intent = await anIntent(bed, partner);
  // What is remembered of the partners, and of both key sets, is there from here on.
  for (const who of [partner, other]) await ask('session', mintToken(who, intent));
});
afterAll(async () => {
  await app.close();
  await costed.close();
});
beforeEach(() => {
  app.refusals.length = 0;
});

const ask = (end: string, token: string, { intentId } = intent) =>
  app.send({ path: `/flow/${intentId}/${end}`, headers: { Authorization: `Bearer ${token}` } });

const costOf: CostedBed['costOf'] = (request) => costed.costOf(request);

it('a session is 1/1/0', async () => {
  expect(await costOf(() => ask('session', mintToken(partner, intent)))).toBe('200: 1/1/0');
});

it('a status is 1/1/0', async () => {
  const confirmed = await anIntent(bed, partner);
  const token = mintToken(partner, confirmed);
  const path = `/v1/payment_intents/${confirmed.intentId}/confirm`;
  await app.send({ method: 'POST', path, headers: { Authorization: `Bearer ${token}` } });
  expect(await costOf(() => ask('status', token, confirmed))).toBe('200: 1/1/0');
});

it('the page and its files are nothing at all', async () => {
  expect(await costOf(() => app.send({ path: '/flow/pi_x/scan' }))).toBe('200: 0/0/0');
  expect(await costOf(() => app.send({ path: '/flow/assets/x.js' }))).toBe('404: 0/0/0');
});

describe.each(['session', 'status'])('a refused %s is 1/1/0', (end) => {
  it.each(BAD_TOKENS.map((bad) => [bad.step, bad.name, bad] as const))(
    'at step %s: %s',
    async (_step, _name, { mint, reason }) => {
      const token = mint({ partner, other, intent });
      expect(await costOf(() => ask(end, token))).toBe('401: 1/1/0');
      // A token that has confirmed nothing is refused for that at step 8, before the steps behind it.
      const isBehind = ['amount_differs', 'corridor_differs', 'attestation_not_accepted'];
      const expected = end === 'status' && isBehind.includes(reason) ? 'jti_not_used' : reason;
      expect(app.refusals).toEqual([expected]);
    },
  );
});
