// The results of attempts (decision 19), also of attempts that lost their lease to another worker.
import type { EventId } from '../../../src/domain/ids';
import { NOON, secondsAfter } from '../../support/clock';
import * as books from '../../support/webhooks/webhook-rows';
import { makeDue } from '../../support/webhooks/webhooks';

const { bed, anEvent, eventRow, later, claim, finish, record } = books.withWebhooks();
const replay = (eventId: EventId) => books.replay(bed, eventId);

describe('an attempt', () => {
  it('that is accepted finishes the event', async () => {
    const eventId = await anEvent();
    await record(eventId, books.TAKEN);
    const over = { state: 'delivered', attempts: 1, finished_at: NOON, due_at: null };
    await expect(eventRow(eventId)).resolves.toEqual({ ...over, check_at: null, lease: null });
  });

  it('that is to be repeated sets when, and when the poller checks that it was', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 500, retryInMs: 300_000 });
    const due = { due_at: secondsAfter(NOON, 300), check_at: secondsAfter(NOON, 360) };
    const pending = { state: 'pending', attempts: 1, finished_at: null, lease: null };
    await expect(eventRow(eventId)).resolves.toEqual({ ...pending, ...due });
  });

  it('has its own row with its number, time and cause', async () => {
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

  it('stores any text that the endpoint answered', async () => {
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

describe('an attempt that was delayed, and reports after another has claimed the event', () => {
  async function delayed() {
    const eventId = await anEvent();
    const late = await claim(eventId);
    await later(30);
    return { eventId, late };
  }

  it('and was accepted: the event is delivered, and the other result changes nothing', async () => {
    const { eventId, late } = await delayed();
    const other = await claim(eventId);
    await finish(late, books.TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 1 });
    await finish(other, { status: 500 });
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('and was not accepted: it is counted, and the other decides', async () => {
    const { eventId, late } = await delayed();
    const other = await claim(eventId);
    await finish(late, { status: 500, result: 'exhausted' });
    await expect(eventRow(eventId)).resolves.toMatchObject({
      ...{ state: 'pending', attempts: 1, lease: other.lease, due_at: NOON },
    });
    await finish(other, books.TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('and the event is exhausted: it stays so unless the attempt was accepted', async () => {
    const { eventId, late } = await delayed();
    await record(eventId, { status: 500, result: 'exhausted' });
    await finish(late, { status: 500 });
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'exhausted', attempts: 2 });
    await finish(late, books.TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 3 });
  });

  it('and was accepted before a replay: the replayed event is sent anyway', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 500 });
    await makeDue(bed, eventId);
    const late = await claim(eventId);
    await replay(eventId);
    await finish(late, books.TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'pending', attempts: 2 });
    await record(eventId, books.TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 3 });
  });
});

describe('a replay', () => {
  it('while the event is being sent: it is sent once more', async () => {
    const eventId = await anEvent();
    const held = await claim(eventId);
    await replay(eventId);
    const again = await claim(eventId);
    await finish(held, { status: 500 });
    await expect(eventRow(eventId)).resolves.toMatchObject({
      state: 'pending',
      lease: again.lease,
    });
    await finish(again, books.TAKEN);
    await expect(eventRow(eventId)).resolves.toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('restarts the schedule', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 500, result: 'exhausted' });
    await replay(eventId);
    await expect(claim(eventId)).resolves.toMatchObject({
      attempts: 1,
      attemptsReplayed: 1,
    });
  });
});
