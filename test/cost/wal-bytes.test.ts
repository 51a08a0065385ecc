// The bytes of a payment in the write-ahead log, which replicas and backups receive (architecture,
// section 8). Full-page images are left out, because they depend on the last checkpoint.
import { parseIntentId } from '../../src/domain/ids';
import { createMemoryKeySets, startApp, type TestApp } from '../support/app';
import { findExisting, openTestBed, type TestBed } from '../support/builders';
import { openCommitCounter, type CommitCounter } from '../support/cost/commit-counter';
import { aPartner, mintToken, type TestPartner } from '../support/payments/partner';
import { recordAttempt } from '../support/webhooks/webhooks';

const CREATE = { method: 'POST', path: '/v1/payment_intents' };
const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';
/** Enough payments that the split of an index page hardly changes the figure. */
const PAYMENTS = 50;

let bed: TestBed;
let commits: CommitCounter;
let app: TestApp;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed();
  commits = await openCommitCounter(bed.url);
  partner = await aPartner(bed);
  app = await startApp(bed, { keySets: createMemoryKeySets([partner]) });
});
afterAll(async () => {
  await app.close();
  await commits.close();
  await bed.close();
});

async function create() {
  const headers = { 'Content-Type': 'application/json' };
  const { text } = await app.sendSigned(partner, { ...CREATE, body: BODY, headers });
  const { intent_id } = JSON.parse(text) as { readonly intent_id: string };
  const intentId = parseIntentId(intent_id);
  if (intentId === undefined) throw new Error(`not created: ${text}`);
  await bed.claims.markStarted([intentId]);
  return findExisting(bed, intentId);
}

/** Pays with everything that the workflow writes, and delivers the webhook. */
async function payOnce() {
  const intent = await create();
  const { intentId } = intent;
  const { status } = await app.send({
    method: 'POST',
    path: `${CREATE.path}/${intentId}/confirm`,
    headers: { Authorization: `Bearer ${mintToken(partner, intent)}` },
  });
  const { eventId } = await bed.intents.readCurrentState(intentId);
  if (status !== 200 || eventId === null) throw new Error(`not captured: ${status}`);
  await recordAttempt(bed, eventId, { result: 'delivered', status: 204 });
}

async function bytesOfEach(work: () => Promise<unknown>): Promise<number> {
  await work();
  const { bytes } = await commits.measureDuring(async () => {
    for (let payment = 0; payment < PAYMENTS; payment += 1) await work();
  });
  return bytes / PAYMENTS;
}

describe('the write-ahead log', () => {
  it('grows by at most 1.1 kB with a create', async () => {
    expect(await bytesOfEach(create)).toBeLessThanOrEqual(1_100);
  });

  it('grows by at most 6.5 kB with a captured payment, from its create to its webhook', async () => {
    expect(await bytesOfEach(payOnce)).toBeLessThanOrEqual(6_500);
  });
});
