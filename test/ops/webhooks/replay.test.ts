// `payctl webhooks replay` (decision 19): the rows it leaves, what it rejects, and that it works
// without Temporal.
import { replayMany, replayOne } from '../../../src/ops/webhooks/replay-events';
import { WEBHOOK_STATES } from '../../../src/postgres/reports/webhook-story';
import { anEventId, countOf } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import {
  expectRejected,
  jsonOf,
  rejection,
  runPayctl,
  textOf,
} from '../../support/programs/payctl';
import { actionsOn, anEvent, disableEndpoint, eventRow, manyEvents } from './rows';
import { withDatabase, withPartner } from '../../support/brackets';

const ANN = { actor: 'ann', reason: null };
/** Nothing listens there. */
const NO_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

const bed = withDatabase();
beforeEach(() => bed.setNow(NOON));
const partner = withPartner(bed, { isPerTest: true });

const replay = (...args: readonly string[]) =>
  runPayctl(bed, ['webhooks', 'replay', ...args], NO_TEMPORAL);
const many = (since?: Date, onProgress: (replayed: number) => void = () => undefined) =>
  replayMany({ database: bed.database, onProgress }, { partnerId: partner.partnerId, since }, ANN);
const stateOf = async (eventId: Parameters<typeof eventRow>[1]) =>
  (await eventRow(bed, eventId))['state'];

describe('of one event', () => {
  it.each(WEBHOOK_STATES)(
    'that is %s makes it pending and due now, with a new schedule',
    async (state) => {
      const eventId = await anEvent(bed, partner, { state, attempts: 4, leasedForSeconds: -1 });
      await bed.setNow(secondsAfter(NOON, 10));
      await replayOne(bed.database, eventId, ANN);
      expect(await eventRow(bed, eventId)).toMatchObject({
        state: 'pending',
        ...{
          attempts: 4,
          attempts_replayed: 4,
          finished_at: null,
          lease: null,
          leased_until: null,
        },
        due_at: secondsAfter(NOON, 10),
        check_at: secondsAfter(NOON, 70),
      });
    },
  );

  it('works without Temporal, and says that a worker sends the event', async () => {
    const eventId = await anEvent(bed, partner, { state: 'exhausted', attempts: 1 });
    const ran = await replay(eventId, '--as', 'ann', '--reason', 'it was fixed', '--json');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^payctl: Temporal gave no answer \(.*\)\. evt_\w+ is pending, and a worker sends it/,
    );
    expect(JSON.parse(ran.stdout)).toEqual({
      event_id: eventId,
      intent_id: (await eventRow(bed, eventId))['intent_id'],
      partner_id: partner.partnerId,
      type: 'payment_intent.captured',
      state: 'pending',
      created_at: NOON.toISOString(),
      finished_at: null,
      next_attempt_at: NOON.toISOString(),
      attempts: [
        { attempt: 1, started_at: NOON.toISOString(), duration_ms: 7, status: 503, error: null },
      ],
    });
    expect(await actionsOn(bed, partner)).toEqual([
      {
        actor: 'ann',
        action: 'webhooks replay',
        event_id: eventId,
        events: 1,
        reason: 'it was fixed',
        details: null,
      },
    ]);
  });

  it('is rejected while its endpoint is disabled', async () => {
    const eventId = await anEvent(bed, partner, { state: 'skipped' });
    await disableEndpoint(bed, partner);
    const ran = await replay(eventId);
    expect(ran).toEqual(
      rejection(
        `The endpoint of ${partner.partnerId} has been disabled since 2026-03-02T12:00:00Z, because: it answered 410 three times. Nothing was changed. Enable it first: payctl webhooks set ${partner.partnerId}.`,
      ),
    );
    expect(await stateOf(eventId)).toBe('skipped');
    expect(await actionsOn(bed, partner)).toEqual([]);
  });

  it('is rejected while a worker sends it, and accepted once the lease is over', async () => {
    const eventId = await anEvent(bed, partner, { leasedForSeconds: 1 });
    const before = await eventRow(bed, eventId);
    await expect(replayOne(bed.database, eventId, ANN)).rejects.toThrow(
      `${eventId} is being sent at this moment. Nothing was changed`,
    );
    expect(await eventRow(bed, eventId)).toEqual(before);
    await bed.setNow(secondsAfter(NOON, 1));
    await expect(replayOne(bed.database, eventId, ANN)).resolves.toMatchObject({
      state: 'pending',
    });
  });

  it('is rejected at once while a worker writes its row', async () => {
    const eventId = await anEvent(bed, partner, { state: 'exhausted' });
    await bed.database.inTransaction(async (worker) => {
      await worker.query({
        text: 'select from webhook_events where event_id = $1 for update',
        values: [eventId],
      });
      await expect(replayOne(bed.database, eventId, ANN)).rejects.toThrow('is being sent');
    });
    expect(await stateOf(eventId)).toBe('exhausted');
  });

  it('is rejected for a malformed and for an unknown event id', async () => {
    const unknown = anEventId();
    const malformed = await replay('evt_4711');
    expect(malformed).toMatchObject({ code: 1, stdout: '' });
    expect(malformed.stderr).toMatch(
      /^payctl: "evt_4711" is not an event id\. Expected evt_ and 26 /,
    );
    expect(await replay(unknown)).toEqual(rejection(`There is no event ${unknown}.`));
  });
});

describe('of all that a partner did not get', () => {
  it('sends the skipped and the exhausted events, and no others', async () => {
    const skipped = await anEvent(bed, partner, { state: 'skipped', attempts: 2 });
    const exhausted = await anEvent(bed, partner, { state: 'exhausted' });
    const others = [
      await anEvent(bed, partner, { state: 'delivered' }),
      await anEvent(bed, await aPartner(bed), { state: 'skipped' }),
    ];
    expect(jsonOf(await replay('--partner', partner.partnerId, '--json'))).toEqual({
      partner_id: partner.partnerId,
      replayed: 2,
      ...{ under_way: 0, older: 0 },
    });
    expect(await stateOf(exhausted)).toBe('pending');
    expect(await eventRow(bed, skipped)).toMatchObject({
      state: 'pending',
      ...{ attempts: 2, attempts_replayed: 2, finished_at: null },
      ...{ due_at: NOON, check_at: NOON },
    });
    expect(await Promise.all(others.map(stateOf))).toEqual(['delivered', 'skipped']);
    expect(await actionsOn(bed, partner)).toMatchObject([
      {
        action: 'webhooks replay',
        event_id: null,
        events: 2,
        details: 'all that were not delivered',
      },
    ]);
  });

  it('sends the events that were exhausted or skipped at or after a time', async () => {
    const before = await anEvent(bed, partner, { state: 'exhausted' });
    await bed.setNow(secondsAfter(NOON, 60));
    const since = [
      await anEvent(bed, partner, { state: 'exhausted' }),
      await anEvent(bed, partner, { state: 'skipped' }),
    ];
    const pending = await anEvent(bed, partner);
    const time = '2026-03-02T19:01:00+07:00';
    const text = textOf(await replay('--partner', partner.partnerId, '--since', time));
    expect(text).toMatch(/^replayed +2$/m);
    expect(text).toContain('\n  payctl webhooks list\n');
    expect(text).toContain('1 were exhausted or skipped before that time and stay so.');
    expect(await Promise.all(since.map(stateOf))).toEqual(['pending', 'pending']);
    expect(await stateOf(before)).toBe('exhausted');
    expect(await eventRow(bed, pending)).toMatchObject({ check_at: secondsAfter(NOON, 420) });
    expect(await actionsOn(bed, partner)).toMatchObject([
      { events: 2, details: 'since 2026-03-02T12:01:00.000Z' },
    ]);
  });

  it('compares the last attempt of an event that was skipped after it was written', async () => {
    const eventId = await anEvent(bed, partner, { state: 'skipped', attempts: 1 });
    await bed.database.query({
      text: `update webhook_attempts set started_at = $2 where event_id = $1`,
      values: [eventId, secondsAfter(NOON, 3_600)],
    });
    await expect(many(secondsAfter(NOON, 3_601))).resolves.toMatchObject({ replayed: 0 });
    await expect(many(secondsAfter(NOON, 3_600))).resolves.toMatchObject({ replayed: 1 });
  });

  it('replays in batches, reports progress, and records one action', async () => {
    await manyEvents(bed, partner, { state: 'skipped', count: 1_200 });
    const progress: number[] = [];
    await expect(many(undefined, (count) => progress.push(count))).resolves.toMatchObject({
      replayed: 1_200,
    });
    expect(progress).toEqual([500, 1_000]);
    expect(await actionsOn(bed, partner)).toMatchObject([{ events: 1_200 }]);
  });

  it('sends the rest when it is repeated after an interruption', async () => {
    await manyEvents(bed, partner, { state: 'exhausted', count: 700 });
    const interrupted = many(NOON, (count) => {
      throw new Error(`killed after ${String(count)}`);
    });
    await expect(interrupted).rejects.toThrow('killed after 500');
    await expect(many(NOON)).resolves.toMatchObject({ replayed: 200 });
    expect(await actionsOn(bed, partner)).toMatchObject([{ events: 500 }, { events: 200 }]);
    const pending = `select count(*) from webhook_events
                      where state = 'pending' and partner_id = $1`;
    expect(await countOf(bed, pending, [partner.partnerId])).toBe(700);
  });

  it('does not change events that are being sent, and says so', async () => {
    await anEvent(bed, partner, { state: 'skipped', leasedForSeconds: 30 });
    await anEvent(bed, partner, { state: 'skipped' });
    const ran = await replay('--partner', partner.partnerId);
    expect(ran.stdout).toMatch(/^replayed +1\nunder_way +1\nolder +0$/m);
    expect(ran.stdout).toContain('1 are being sent at this moment');
  });

  it('is rejected while the endpoint is disabled', async () => {
    await anEvent(bed, partner, { state: 'skipped' });
    await disableEndpoint(bed, partner);
    expectRejected(
      await replay('--partner', partner.partnerId),
      1,
      'Nothing was changed. Enable it first',
    );
  });

  it('says that there was nothing to send, and leaves no row in the audit trail', async () => {
    expect(textOf(await replay('--partner', partner.partnerId))).toContain(
      'No event was to be sent again. Pending ones are sent by themselves:',
    );
    expect(await actionsOn(bed, partner)).toEqual([]);
  });
});
