// Webhook events: written with their transition, byte for byte what the API would show (decisions 17, 18 and 21).
import { toWire } from '../../api/intents/view';
import { usdCents } from '../../src/domain/money';
import type { WebhookAttempt } from '../../src/ports/webhook-store';
import { anIntent, countOf, openTestBed, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

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

const standingOf = (intentId: Parameters<TestBed['intents']['standing']>[0]) =>
  bed.intents.standing(intentId);

describe('the body of an event', () => {
  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'of an intent that is %s is type, timestamp and the intent as the API shows it, byte for byte',
    async (status) => {
      const at = secondsAfter(NOON, 0.007);
      await bed.setNow(at);
      const amountUsdCents = usdCents(100_000_000);
      const intent = await anIntent(bed, partner, { status, amountUsdCents, corridor: 'vn_qrpay' });
      const { eventId } = await standingOf(intent.intentId);
      if (eventId === null) throw new Error('no event was written');
      const delivery = await bed.webhooks.findOwed(eventId);
      expect(delivery?.body).toBe(
        `{"type":"payment_intent.${status}","timestamp":"${at.toISOString()}","data":${toWire(intent)}}`,
      );
    },
  );

  it('carries the instant of its own event, also when the intent was captured long before', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    const later = secondsAfter(NOON, 86_400);
    await bed.setNow(later);
    const refund = { intentId, from: 'captured', event: 'refund', actor: 'operator' } as const;
    const { eventId } = await bed.intents.transition(refund);
    const delivery = eventId === null ? undefined : await bed.webhooks.findOwed(eventId);
    expect(JSON.parse(delivery?.body ?? '{}')).toMatchObject({ timestamp: later.toISOString() });
  });
});

describe('an event', () => {
  it('is written once, and every repeat of its transition names the same', async () => {
    const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.funds.debit(intentId, amountUsdCents);
    const capture = { intentId, from: 'authorized', event: 'capture', actor: 'system' } as const;
    const first = await bed.intents.transition(capture);
    expect(first.eventId).toMatch(/^evt_/);
    expect(await bed.intents.transition(capture)).toMatchObject({ eventId: first.eventId });
    expect(await standingOf(intentId)).toMatchObject({ eventId: first.eventId });
  });

  it.each(['expired', 'cancelled'] as const)(
    'of an intent that is %s is written only on request',
    async (status) => {
      const byDefault = await aPartner(bed);
      const { intentId } = await anIntent(bed, byDefault, { status });
      expect(await standingOf(intentId)).toMatchObject({ status, eventId: null });
    },
  );

  it('is not written for a partner whose endpoint is disabled', async () => {
    const disabled = await aPartner(bed);
    await bed.database.query({
      text: 'update webhook_endpoints set disabled_at = service_now() where partner_id = $1',
      values: [disabled.partnerId],
    });
    const { intentId } = await anIntent(bed, disabled, { status: 'failed' });
    expect(await standingOf(intentId)).toMatchObject({ status: 'failed', eventId: null });
  });
});

describe('the delivery of an event', () => {
  async function anEvent() {
    const { intentId } = await anIntent(bed, partner, { status: 'failed' });
    const { eventId } = await standingOf(intentId);
    if (eventId === null) throw new Error('no event was written');
    const attempt: WebhookAttempt = {
      eventId,
      startedAt: NOON,
      durationMs: 12,
      status: 500,
      error: null,
      answerExcerpt: 'no',
      result: 'retry',
      retryInMs: 5_000,
    };
    return { eventId, attempt };
  }

  it('knows the address, the opened secret and the attempts so far', async () => {
    const { eventId, attempt } = await anEvent();
    await bed.webhooks.recordAttempt(attempt);
    await expect(bed.webhooks.findOwed(eventId)).resolves.toMatchObject({
      eventId,
      url: `https://${partner.partnerId}.example/webhooks`,
      secrets: [partner.webhook_secret],
      attempts: 1,
    });
  });

  it.each(['delivered', 'given_up'] as const)('is not owed once it is %s', async (result) => {
    const { eventId, attempt } = await anEvent();
    await bed.webhooks.recordAttempt({ ...attempt, result, retryInMs: null });
    await expect(bed.webhooks.findOwed(eventId)).resolves.toBeUndefined();
  });

  it('that was made stays made when a late attempt fails', async () => {
    const { eventId, attempt } = await anEvent();
    await bed.webhooks.recordAttempt({
      ...attempt,
      status: 204,
      result: 'delivered',
      retryInMs: null,
    });
    await bed.webhooks.recordAttempt({ ...attempt, result: 'given_up', retryInMs: null });
    await expect(bed.webhooks.findOwed(eventId)).resolves.toBeUndefined();
    const delivered = `select count(*) from webhook_events where event_id = $1 and state = 'delivered'`;
    expect(await countOf(bed, delivered, [eventId])).toBe(1);
  });

  it('that was given up stays given up when a late attempt would be tried again', async () => {
    const { eventId, attempt } = await anEvent();
    await bed.webhooks.recordAttempt({ ...attempt, result: 'given_up', retryInMs: null });
    await bed.webhooks.recordAttempt(attempt);
    await expect(bed.webhooks.findOwed(eventId)).resolves.toBeUndefined();
  });

  it('records every attempt under a number of its own', async () => {
    const { eventId, attempt } = await anEvent();
    for (const error of ['timeout after 15 s', 'connection refused']) {
      await bed.webhooks.recordAttempt({ ...attempt, status: null, error, answerExcerpt: null });
    }
    const { rows } = await bed.database.query({
      text: `select attempt, error, duration_ms from webhook_attempts where event_id = $1 order by attempt`,
      values: [eventId],
    });
    expect(rows).toEqual([
      { attempt: 1, error: 'timeout after 15 s', duration_ms: 12 },
      { attempt: 2, error: 'connection refused', duration_ms: 12 },
    ]);
  });

  it('is not owed while the endpoint is disabled', async () => {
    const { eventId } = await anEvent();
    const set = (value: string) =>
      bed.database.query({
        text: `update webhook_endpoints set disabled_at = ${value} where partner_id = $1`,
        values: [partner.partnerId],
      });
    await set('service_now()');
    await expect(bed.webhooks.findOwed(eventId)).resolves.toBeUndefined();
    await set('null');
    await expect(bed.webhooks.findOwed(eventId)).resolves.toMatchObject({ eventId });
  });
});
