// The failures of an endpoint (decision 19): since when it has accepted nothing, how many 410 it
// has answered in a row, and what disables it.
import type { ClaimedWebhook } from '../../../src/ports/webhooks';
import { times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { untilBlocked } from '../../support/until-blocked';
import { TAKEN, withWebhooks } from '../../support/webhooks/webhook-rows';
import type { AttemptOptions } from '../../support/webhooks/webhooks';

const GONE: AttemptOptions = { status: 410, result: 'exhausted' };
const DAY_SECONDS = 86_400;

const { bed, partner, anEvent, eventRow, later, claim, finish, record, disable } = withWebhooks();

async function endpointRow() {
  const { rows } = await bed.database.query<Record<string, unknown>>({
    text: `select failing_since, gone_in_a_row, disabled_at, disabled_reason
             from webhook_endpoints where partner_id = $1`,
    values: [partner.partnerId],
  });
  return rows[0];
}

describe('the row of an endpoint', () => {
  it('has the time of the first failure until the endpoint accepts an event', async () => {
    const [first, second] = [await anEvent(), await anEvent()];
    await record(first, { status: 500 });
    await later(30);
    await record(second, { error: 'connection refused' });
    await expect(endpointRow()).resolves.toMatchObject({ failing_since: NOON });
    await record(first, TAKEN);
    await expect(endpointRow()).resolves.toMatchObject({ failing_since: null });
  });

  it('is not written while the endpoint accepts every event', async () => {
    const versionOf = async () => {
      const { rows } = await bed.database.query<{ readonly xmin: string }>({
        text: 'select xmin::text from webhook_endpoints where partner_id = $1',
        values: [partner.partnerId],
      });
      return rows[0]?.xmin;
    };
    const before = await versionOf();
    for (const eventId of await times(3, anEvent)) await record(eventId, TAKEN);
    expect(await versionOf()).toBe(before);
  });

  it('counts 410 in a row: any other answer resets the count, a timeout does not', async () => {
    const gone = async () => (await endpointRow())?.['gone_in_a_row'];
    await record(await anEvent(), GONE);
    await record(await anEvent(), GONE);
    await record(await anEvent(), { error: 'timeout after 15 s' });
    expect(await gone()).toBe(2);
    await record(await anEvent(), { status: 500 });
    expect(await gone()).toBe(0);
    await record(await anEvent(), GONE);
    await record(await anEvent(), TAKEN);
    expect(await gone()).toBe(0);
  });
});

describe('an endpoint is disabled', () => {
  it('by the third 410 in a row, a minute after the first, with that reason', async () => {
    const events = await times(3, anEvent);
    const reasons: (string | null)[] = [];
    for (const [nth, eventId] of events.entries()) {
      await later(nth * 30);
      reasons.push(await record(eventId, GONE));
    }
    const reason = 'it answered 410 3 times in a row';
    expect(reasons).toEqual([null, null, reason]);
    await expect(endpointRow()).resolves.toMatchObject({
      disabled_at: secondsAfter(NOON, 60),
      disabled_reason: reason,
    });
  });

  it('not by 410 to many events at once, but by the first a minute later', async () => {
    for (const eventId of await times(5, anEvent)) {
      await expect(record(eventId, GONE)).resolves.toBeNull();
    }
    await later(59.999);
    await expect(record(await anEvent(), GONE)).resolves.toBeNull();
    await later(60);
    await expect(record(await anEvent(), GONE)).resolves.toBe('it answered 410 7 times in a row');
  });

  it('once it has accepted nothing for five days, and not before', async () => {
    const [first, second] = [await anEvent(), await anEvent()];
    await record(first, { status: 500 });
    await later(5 * DAY_SECONDS - 0.001);
    await expect(record(second, { status: 500 })).resolves.toBeNull();
    await later(5 * DAY_SECONDS);
    await expect(record(first, { status: 500 })).resolves.toBe(
      'it has accepted nothing since 2026-03-02T12:00:00.000Z',
    );
    await expect(eventRow(first)).resolves.toMatchObject({
      ...{ state: 'skipped', attempts: 2, due_at: null, check_at: null, finished_at: null },
    });
    await expect(bed.webhooks.claim(second)).resolves.toEqual({ outcome: 'done' });
  });

  it('not by attempts to the URL that it had before', async () => {
    const claims: ClaimedWebhook[] = [];
    for (const eventId of await times(3, anEvent)) claims.push(await claim(eventId));
    await bed.database.query({
      text: `update webhook_endpoints set url = 'https://moved.example/' where partner_id = $1`,
      values: [partner.partnerId],
    });
    for (const one of claims) await expect(finish(one, GONE)).resolves.toBeNull();
    await expect(endpointRow()).resolves.toMatchObject({
      ...{ disabled_at: null, gone_in_a_row: 0, failing_since: null },
    });
  });

  it('while others send to it: their results are recorded', async () => {
    const ids = [await anEvent(), await anEvent(), await anEvent()] as const;
    const held = await claim(ids[0]);
    const other = await claim(ids[1]);
    await disable();
    await bed.claims.skipEvents(10);
    await later(10);
    const reasons = [await finish(held, TAKEN), await finish(other, { status: 500 })];
    expect(reasons).toEqual([null, null]);
    expect(await Promise.all(ids.map(eventRow))).toMatchObject([
      { state: 'delivered' },
      { state: 'skipped', attempts: 1 },
      { state: 'skipped', attempts: 0 },
    ]);
  });

  it('once, and reported once, when the third 410 and others are recorded at once', async () => {
    const claims: ClaimedWebhook[] = [];
    await record(await anEvent(), GONE);
    await later(60);
    for (const eventId of await times(4, anEvent)) claims.push(await claim(eventId));
    const reasons = await Promise.all(claims.map((one) => finish(one, GONE)));
    expect(reasons.filter((reason) => reason !== null)).toHaveLength(1);
    await expect(endpointRow()).resolves.toMatchObject({ gone_in_a_row: 5 });
  });
});

it('an attempt locks its endpoint before its event, in the same order as a disable', async () => {
  const [failed, eventId] = [await anEvent(), await anEvent()];
  await record(failed, { status: 500 });
  const event = await claim(eventId);
  const { finishing } = await bed.database.inTransaction(async (operator) => {
    const values = [partner.partnerId];
    const text = 'select from webhook_endpoints where partner_id = $1 for update';
    await operator.query({ text, values });
    const recording = finish(event, TAKEN);
    await untilBlocked(operator);
    const free = await operator.query({
      text: 'select from webhook_events where event_id = $1 for update skip locked',
      values: [eventId],
    });
    expect(free.rows).toHaveLength(1);
    return { finishing: recording };
  });
  await expect(finishing).resolves.toBeNull();
  await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 1 });
});
