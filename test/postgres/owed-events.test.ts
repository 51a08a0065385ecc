// Webhook events whose run may be gone (architecture, section 3, "Starting and repairing"): an undelivered event
// survives it.
import type { WebhookAttempt } from '../../src/ports/webhook-store';
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

const MANY = 10_000;

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(async () => {
  await bed.setNow(NOON);
  await bed.database.query({ text: 'update webhook_events set check_at = null' });
});

async function anEvent() {
  const { intentId } = await anIntent(bed, partner, { status: 'failed' });
  const { eventId } = await bed.intents.standing(intentId);
  if (eventId === null) throw new Error('no event was written');
  return { intentId, eventId, isOfRefund: false };
}

const attemptOf = (
  { eventId }: Pick<WebhookAttempt, 'eventId'>,
  result: WebhookAttempt['result'],
): WebhookAttempt => ({
  eventId,
  startedAt: NOON,
  durationMs: 1,
  status: 500,
  error: null,
  answerExcerpt: null,
  result,
  retryInMs: result === 'retry' ? 300_000 : null,
});

const claimedAt = async (seconds: number) => {
  await bed.setNow(secondsAfter(NOON, seconds));
  return bed.sweep.claimOwedEvents(MANY);
};

describe('an owed event is taken', () => {
  it('a minute after it was written, when no attempt has been recorded', async () => {
    const event = await anEvent();
    expect(await claimedAt(59.999)).toEqual([]);
    expect(await claimedAt(60)).toEqual([event]);
  });

  it('a minute after the next attempt was due', async () => {
    const event = await anEvent();
    await bed.webhooks.recordAttempt(attemptOf(event, 'retry'));
    expect(await claimedAt(359.999)).toEqual([]);
    expect(await claimedAt(360)).toEqual([event]);
  });

  it('and left to its worker for two minutes', async () => {
    const event = await anEvent();
    expect(await claimedAt(60)).toEqual([event]);
    expect(await claimedAt(179.999)).toEqual([]);
    expect(await claimedAt(180)).toEqual([event]);
  });

  it('by one of eight concurrent claimers only, and none is left behind', async () => {
    const events = await times(20, anEvent);
    await bed.setNow(secondsAfter(NOON, 60));
    const claims = await times(8, () => bed.sweep.claimOwedEvents(3));
    const all = [...claims.flat(), ...(await bed.sweep.claimOwedEvents(MANY))];
    const ids = all.map(({ eventId }) => eventId);
    expect(ids.sort()).toEqual(events.map(({ eventId }) => eventId).sort());
  });

  it('no more than were asked for', async () => {
    await times(5, anEvent);
    await bed.setNow(secondsAfter(NOON, 60));
    await expect(bed.sweep.claimOwedEvents(2)).resolves.toHaveLength(2);
  });
});

describe('an event is never taken', () => {
  it.each(['delivered', 'given_up'] as const)('once it is %s', async (result) => {
    const event = await anEvent();
    await bed.webhooks.recordAttempt(attemptOf(event, result));
    expect(await claimedAt(30 * 86_400)).toEqual([]);
  });

  it('while its endpoint is disabled, and then at once', async () => {
    const disabled = await aPartner(bed);
    const { intentId } = await anIntent(bed, disabled, { status: 'failed' });
    const set = (value: string) =>
      bed.database.query({
        text: `update webhook_endpoints set disabled_at = ${value} where partner_id = $1`,
        values: [disabled.partnerId],
      });
    await set('service_now()');
    expect(await claimedAt(60)).toEqual([]);
    await set('null');
    expect(await claimedAt(61)).toMatchObject([{ intentId }]);
  });
});
