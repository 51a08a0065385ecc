// What a payment costs Postgres in durable bytes: the length of its records in the write-ahead log, which is what replicas and
// backups are sent (architecture, section 8). Without copies of whole pages: those depend on when the last checkpoint was.
import { parseIntentId } from '../../src/domain/ids';
import { createMemoryKeySets, startApp, type TestApp } from '../support/app';
import { findExisting, openTestBed, type TestBed } from '../support/builders';
import { openCommitCounter, type CommitCounter } from '../support/cost/commit-counter';
import { aPartner, mintToken, type TestPartner } from '../support/payments/partner';
import { recordAttempt } from '../support/webhooks/webhooks';

const CREATE = { method: 'POST', path: '/v1/payment_intents' };
const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';
/** Enough that an index page that happens to split weighs little. */
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

/** With all that a run writes of it, its webhook delivered. */
async function payOnce() {
  const intent = await create();
  const { intentId } = intent;
  const { status } = await app.send({
    method: 'POST',
    path: `${CREATE.path}/${intentId}/confirm`,
    headers: { Authorization: `Bearer ${mintToken(partner, intent)}` },
  });
  const { eventId } = await bed.intents.standing(intentId);
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
