// What attempts leave behind (decision 19): the event's row, and the next events of the same place.
import type { EventId } from '../../src/domain/ids';
import type { WebhookHolding } from '../../src/ports/webhook-store';
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { anAttempt, claimed, makeDue, recordAttempt, type AttemptWish } from '../support/webhooks';

const TAKEN: AttemptWish = { status: 200, result: 'delivered' };

let bed: TestBed;
let partner: TestPartner;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(() => bed.close());
beforeEach(async () => {
  await bed.setNow(NOON);
  partner = await aPartner(bed);
});

async function anEvent(): Promise<EventId> {
  const { intentId } = await anIntent(bed, partner, { status: 'failed' });
  const { eventId } = await bed.intents.standing(intentId);
  if (eventId === null) throw new Error('no event was written');
  return eventId;
}

const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const record = (eventId: EventId, wish: AttemptWish) => recordAttempt(bed, eventId, wish);
const finish = (holding: WebhookHolding, wish: AttemptWish, wanted = 0) =>
  bed.webhooks.finish(
    holding,
    holding.events.map((event) => anAttempt(event, wish)),
    wanted,
  );

async function eventRow(eventId: EventId) {
  const { rows } = await bed.database.query<Record<string, unknown>>({
    text: `select state, attempts, finished_at, due_at, check_at, lease from webhook_events where event_id = $1`,
    values: [eventId],
  });
  return rows[0];
}

describe('an attempt', () => {
  it('that is taken ends the event and frees its place', async () => {
    const eventId = await anEvent();
    await record(eventId, TAKEN);
    const over = { state: 'delivered', attempts: 1, finished_at: NOON, due_at: null };
    await expect(eventRow(eventId)).resolves.toEqual({ ...over, check_at: null, lease: null });
    await expect(claimed(bed.webhooks, await anEvent())).resolves.toMatchObject({ place: 1 });
  });

  it('that is to be repeated says when, and when somebody looks whether it was', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 500, retryInMs: 300_000 });
    const due = { due_at: secondsAfter(NOON, 300), check_at: secondsAfter(NOON, 360) };
    const owed = { state: 'owed', attempts: 1, finished_at: null, lease: null };
    await expect(eventRow(eventId)).resolves.toEqual({ ...owed, ...due });
  });

  it('is a row of its own with its number, time and cause', async () => {
    const eventId = await anEvent();
    for (const error of ['timeout after 15 s', 'connection refused']) {
      await record(eventId, { error, startedAt: secondsAfter(NOON, 1) });
    }
    const { rows } = await bed.database.query({
      text: `select attempt, started_at, status, error, duration_ms, answer_excerpt
               from webhook_attempts where event_id = $1 order by attempt`,
      values: [eventId],
    });
    const same = { started_at: secondsAfter(NOON, 1), status: null, duration_ms: 12 };
    expect(rows).toEqual([
      { ...same, attempt: 1, error: 'timeout after 15 s', answer_excerpt: null },
      { ...same, attempt: 2, error: 'connection refused', answer_excerpt: null },
    ]);
  });

  it('keeps whatever text the endpoint answered', async () => {
    const eventId = await anEvent();
    const answerExcerpt = `{"a":"\\u0041 ฿ ''\\\\n"}\n\u2028 \u0007 \uFFFD`;
    await record(eventId, { status: 500, answerExcerpt });
    const { rows } = await bed.database.query({
      text: `select answer_excerpt from webhook_attempts where event_id = $1`,
      values: [eventId],
    });
    expect(rows).toEqual([{ answer_excerpt: answerExcerpt }]);
  });
});

describe('an attempt that was frozen on its way, and reports when another has the event', () => {
  async function frozen() {
    const eventId = await anEvent();
    const late = await claimed(bed.webhooks, eventId);
    await later(60);
    return { eventId, late };
  }

  it('and was taken: the event is delivered, and what the other meets changes nothing', async () => {
    const { eventId, late } = await frozen();
    const other = await claimed(bed.webhooks, eventId);
    await finish(late, TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 1 });
    await finish(other, { status: 500 });
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('and was not: it is counted, and the other decides', async () => {
    const { eventId, late } = await frozen();
    const other = await claimed(bed.webhooks, eventId);
    await finish(late, { status: 500, result: 'given_up' });
    await expect(eventRow(eventId)).resolves.toMatchObject({
      ...{ state: 'owed', attempts: 1, lease: other.lease, due_at: NOON },
    });
    await finish(other, TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('after it was given up: it stays so, unless it was taken after all', async () => {
    const { eventId, late } = await frozen();
    await record(eventId, { status: 500, result: 'given_up' });
    await finish(late, { status: 500 });
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'given_up', attempts: 2 });
    await finish(late, TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 3 });
  });

  it('frees nothing and takes nothing along: the place is another’s too', async () => {
    const { eventId, late } = await frozen();
    const other = await claimed(bed.webhooks, eventId);
    expect(other.place).toBe(late.place);
    const waiting = await anEvent();
    await later(70);
    await expect(finish(late, TAKEN, 8)).resolves.toMatchObject({ next: undefined });
    await expect(eventRow(waiting)).resolves.toMatchObject({ lease: null });
    const { rows } = await bed.database.query({
      text: `select lease from webhook_places where partner_id = $1 and place = $2`,
      values: [partner.partnerId, late.place],
    });
    expect(rows).toEqual([{ lease: other.lease }]);
  });

  it('and was taken before operations had it sent again: that is sent all the same', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 500 });
    await makeDue(bed, eventId);
    const late = await claimed(bed.webhooks, eventId);
    await replay(eventId);
    await finish(late, TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'owed', attempts: 2 });
    await record(eventId, TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 3 });
  });
});

/** As `payctl webhooks replay` does it. */
function replay(eventId: EventId) {
  return bed.database.query({
    text: `update webhook_events
              set state = 'owed', due_at = service_now(), check_at = service_now() + interval '60 s',
                  attempts_replayed = attempts, finished_at = null, lease = null, leased_until = null
            where event_id = $1`,
    values: [eventId],
  });
}

describe('the holder of a place', () => {
  it('gets the events that have waited longest, and then the next ones', async () => {
    const own = await claimed(bed.webhooks, await anEvent());
    const waiting: EventId[] = [];
    for (const second of [1, 2, 3]) {
      await later(second);
      waiting.push(await anEvent());
    }
    await later(10);
    const { next } = await finish(own, TAKEN, 2);
    expect(next?.events.map(({ eventId }) => eventId).sort()).toEqual(waiting.slice(0, 2).sort());
    expect(next).toMatchObject({ lease: own.lease, place: own.place, url: own.url });
    const last = next && (await finish(next, TAKEN, 2)).next;
    expect(last?.events.map(({ eventId }) => eventId)).toEqual(waiting.slice(2));
    await expect(last && finish(last, TAKEN, 2)).resolves.toMatchObject({ next: undefined });
  });

  it('gets no event that is not due, that another sends, or that its own run has just been given', async () => {
    const own = await claimed(bed.webhooks, await anEvent());
    const [notDue, sent] = await times(2, anEvent);
    await record(notDue ?? ('none' as never), { status: 500, retryInMs: 300_000 });
    await claimed(bed.webhooks, sent ?? ('none' as never));
    await later(10);
    await anEvent();
    await later(11.999);
    await expect(finish(own, TAKEN, 8)).resolves.toMatchObject({ next: undefined });
  });

  it('gives back what it has not sent', async () => {
    const own = await claimed(bed.webhooks, await anEvent());
    const [first, second] = await times(2, anEvent);
    await later(10);
    const { next } = await finish(own, TAKEN, 8);
    const [event] = next?.events ?? [];
    if (next === undefined || event === undefined) throw new Error('nothing was taken along');
    await bed.webhooks.finish(next, [anAttempt(event, TAKEN)], 0);
    const unsent = [first, second].find((eventId) => eventId !== event.eventId);
    await expect(claimed(bed.webhooks, unsent ?? ('none' as never))).resolves.toMatchObject({
      events: [{ attempts: 0 }],
    });
  });
});

describe('a replay', () => {
  it('while the event is being sent: it is sent once more', async () => {
    const eventId = await anEvent();
    const held = await claimed(bed.webhooks, eventId);
    await replay(eventId);
    const again = await claimed(bed.webhooks, eventId);
    await finish(held, { status: 500 });
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'owed', lease: again.lease });
    await finish(again, TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('begins the schedule anew', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 500, result: 'given_up' });
    await replay(eventId);
    await expect(claimed(bed.webhooks, eventId)).resolves.toMatchObject({
      events: [{ attempts: 1, attemptsReplayed: 1 }],
    });
  });
});
