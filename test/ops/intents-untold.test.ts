// What a payment's story says of a webhook that its partner did not get (docs/operations.md).
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { findIntentStory } from '../../src/ops/intent-story';
import { anIntent, openTestBed, type TestBed } from '../support/builders';
import { aPartner, type TestPartner } from '../support/partner';
import { eventOf } from './story-rows';

let bed: TestBed;
let partner: TestPartner;
beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterAll(() => bed.close());

const waitingFor = async ({ intentId }: PaymentIntent) =>
  (await findIntentStory(bed.database, intentId)).waiting_for;
it('says what its partner missed while the endpoint was disabled, and how to send it', async () => {
  const intent = await anIntent(bed, partner, { status: 'failed' });
  const event = await eventOf(bed, intent);
  await bed.database.query({
    text: `update webhook_events set state = 'missed', due_at = null, check_at = null where event_id = $1`,
    values: [event],
  });
  expect(await waitingFor(intent)).toBe(
    `Nothing. The partner missed payment_intent.failed, since its endpoint was disabled: "payctl webhooks replay ${event}" sends it.`,
  );
});
