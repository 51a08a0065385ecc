// What a confirm costs Postgres, with a scanned code and without (decision 20): counted on the wire and in the write-ahead log,
// as in statements.test.ts.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { anIntent, type TestBed } from '../support/builders';
import { createMemoryKeySets, startApp, type TestApp } from '../support/app';
import { openCostedBed, type CostedBed } from '../support/costed-bed';
import { aPartner, mintToken, type TestPartner } from '../support/partner';
import { aThaiCode, TH_BILL } from '../support/qr-codes';

const [CODE, OTHER] = [aThaiCode(), aThaiCode({ '29': null, '30': TH_BILL })];

let costed: CostedBed;
let bed: TestBed;
let app: TestApp;
let partner: TestPartner;

beforeAll(async () => {
  costed = await openCostedBed();
  ({ bed } = costed);
  partner = await aPartner(bed);
  app = await startApp(bed, { keySets: createMemoryKeySets([partner]) });
  app.mode = 'authorize';
  // What is remembered of the partners and of the key set is there from here on.
  await confirm(await anIntent(bed, partner));
});
afterAll(async () => {
  await app.close();
  await costed.close();
});

const confirm = (intent: PaymentIntent, code?: string) =>
  app.send({
    method: 'POST',
    path: `/v1/payment_intents/${intent.intentId}/confirm`,
    headers: {
      Authorization: `Bearer ${mintToken(partner, intent)}`,
      'Content-Type': 'application/json',
    },
    ...(code !== undefined && { body: JSON.stringify({ qr_payload: code }) }),
  });

const costOf: CostedBed['costOf'] = (request) => costed.costOf(request);

describe('statements/round trips/commits of a confirm', () => {
  it('are 3/3/2 without a code: look, transition, answer', async () => {
    const intent = await anIntent(bed, partner);
    expect(await costOf(() => confirm(intent))).toBe('200: 3/3/2');
  });

  it('are 4/4/3 with one: it is kept before its token is used', async () => {
    const intent = await anIntent(bed, partner);
    expect(await costOf(() => confirm(intent, CODE))).toBe('200: 4/4/3');
  });

  it('are 2/2/1 on an authorized intent, with a code and without', async () => {
    const intent = await anIntent(bed, partner);
    await confirm(intent, CODE);
    expect(await costOf(() => confirm(intent, CODE))).toBe('200: 2/2/1');
    expect(await costOf(() => confirm(intent))).toBe('200: 2/2/1');
  });

  it('are 2/2/0 when the code is another than the first, and 1/1/0 when it is malformed', async () => {
    const intent = await anIntent(bed, partner);
    await confirm(intent, CODE);
    expect(await costOf(() => confirm(intent, OTHER))).toBe('409: 2/2/0');
    expect(await costOf(() => confirm(intent, 'malformed'))).toBe('400: 1/1/0');
  });
});
