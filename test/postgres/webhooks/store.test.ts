// Webhook events: written with their transition, with the same bytes as the API shows
// (decisions 17, 18 and 21).
import { toWire } from '../../../api/intents/view';
import { usdCents } from '../../../src/domain/money';
import { anIntent, countOf, move, openTestBed, type TestBed } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { claimed } from '../../support/webhooks/webhooks';

const ALL_TYPES = ['captured', 'failed', 'refunded', 'expired', 'cancelled'].map(
  (status) => `payment_intent.${status}`,
);

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
  await bed.database.query({
    text: 'update webhook_endpoints set event_types = $2 where partner_id = $1',
    values: [partner.partnerId, ALL_TYPES],
  });
});
afterAll(() => bed.close());
beforeEach(() => bed.setNow(NOON));

const currentStateOf = (intentId: Parameters<TestBed['intents']['readCurrentState']>[0]) =>
  bed.intents.readCurrentState(intentId);

describe('the body of an event', () => {
  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'of an intent that is %s has type, timestamp and the intent’s bytes as the API shows it, and the payout',
    async (status) => {
      const at = secondsAfter(NOON, 0.007);
      await bed.setNow(at);
      const amountUsdCents = usdCents(100_000_000);
      const intent = await anIntent(bed, partner, { status, amountUsdCents, corridor: 'vn_qrpay' });
      const { eventId } = await currentStateOf(intent.intentId);
      if (eventId === null) throw new Error('no event was written');
      const event = await claimed(bed.webhooks, eventId);
      expect(event.body).toBe(
        `{"type":"payment_intent.${status}","timestamp":"${at.toISOString()}",` +
          `"data":${toWire(intent)},"payout":{"reference":null,"local":null,"code":null}}`,
      );
    },
  );

  it('has the time of its own event, also if the intent was captured long before', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    const later = secondsAfter(NOON, 86_400);
    await bed.setNow(later);
    const refund = { intentId, from: 'captured', event: 'refund', actor: 'operator' } as const;
    const { eventId } = await bed.intents.transition(refund);
    if (eventId === null) throw new Error('no event was written');
    const event = await claimed(bed.webhooks, eventId);
    expect(JSON.parse(event.body)).toMatchObject({ timestamp: later.toISOString() });
  });
});

describe('an event', () => {
  it('is written once, and every repeat of its transition returns the same id', async () => {
    const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.funds.debit(intentId, amountUsdCents);
    const first = await move(bed, intentId, 'capture');
    expect(first.eventId).toMatch(/^evt_/);
    expect(await move(bed, intentId, 'capture')).toMatchObject({ eventId: first.eventId });
    expect(await currentStateOf(intentId)).toMatchObject({ eventId: first.eventId });
  });

  it.each(['expired', 'cancelled'] as const)(
    'of an intent that is %s is written only on request',
    async (status) => {
      const byDefault = await aPartner(bed);
      const { intentId } = await anIntent(bed, byDefault, { status });
      expect(await currentStateOf(intentId)).toMatchObject({ status, eventId: null });
    },
  );

  it('is written as skipped if the endpoint is disabled, and no workflow delivers it', async () => {
    const disabled = await aPartner(bed);
    await bed.database.query({
      text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = 'test'
              where partner_id = $1`,
      values: [disabled.partnerId],
    });
    const { intentId } = await anIntent(bed, disabled, { status: 'authorized' });
    const reports = [await move(bed, intentId, 'fail'), await move(bed, intentId, 'fail')];
    expect(reports).toMatchObject([
      { outcome: 'did', status: 'failed', eventId: null },
      { outcome: 'same', status: 'failed', eventId: null },
    ]);
    expect(await currentStateOf(intentId)).toMatchObject({ status: 'failed', eventId: null });
    const skipped = `select count(*) from webhook_events
                      where intent_id = $1 and state = 'skipped'`;
    expect(await countOf(bed, skipped, [intentId])).toBe(1);
  });
});
