// `payctl webhooks replay` as operations run it (decision 19): the rows it leaves, what it refuses, and that it needs no
// Temporal to be in force.
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
/** Nobody listens there. */
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
    'that is %s has it owed and due now, its schedule begun anew',
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

  it('is in force while Temporal is away, and says that a worker sends it', async () => {
    const eventId = await anEvent(bed, partner, { state: 'exhausted', attempts: 1 });
    const ran = await replay(eventId, '--as', 'ann', '--reason', 'it was fixed', '--json');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^payctl: Temporal gave no answer \(.*\)\. evt_\w+ is owed, and a worker sends it/,
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

  it('is refused while its endpoint is disabled', async () => {
    const eventId = await anEvent(bed, partner, { state: 'skipped' });
    await disableEndpoint(bed, partner);
    const ran = await replay(eventId);
    expect(ran).toEqual(
      rejection(
        `The endpoint of ${partner.partnerId} is disabled since 2026-03-02T12:00:00Z, because: it answered 410 three times. Nothing was changed. Enable it first: payctl webhooks set ${partner.partnerId}.`,
      ),
    );
    expect(await stateOf(eventId)).toBe('skipped');
    expect(await actionsOn(bed, partner)).toEqual([]);
  });

  it('is refused while somebody sends it, and not any more once their lease is over', async () => {
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

  it('is refused while a worker writes its row, and waits for nobody', async () => {
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

  it('refuses what is no event and what does not exist', async () => {
    const unknown = anEventId();
    const [none, nobodys] = [await replay('evt_4711'), await replay(unknown)];
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/^payctl: "evt_4711" is not an event id: that is evt_ and 26 /);
    expect(nobodys).toEqual(rejection(`There is no event ${unknown}.`));
  });
});

describe('of all that a partner did not get', () => {
  it('sends what it missed, and nothing else', async () => {
    const skipped = await anEvent(bed, partner, { state: 'skipped', attempts: 2 });
    const others = [
      await anEvent(bed, partner, { state: 'exhausted' }),
      await anEvent(bed, partner, { state: 'delivered' }),
      await anEvent(bed, await aPartner(bed), { state: 'skipped' }),
    ];
    expect(jsonOf(await replay('--partner', partner.partnerId, '--missing', '--json'))).toEqual({
      partner_id: partner.partnerId,
      replayed: 1,
      under_way: 0,
    });
    expect(await eventRow(bed, skipped)).toMatchObject({
      state: 'pending',
      ...{ attempts: 2, attempts_replayed: 2, finished_at: null },
      ...{ due_at: NOON, check_at: NOON },
    });
    expect(await Promise.all(others.map(stateOf))).toEqual(['exhausted', 'delivered', 'skipped']);
    expect(await actionsOn(bed, partner)).toMatchObject([
      { action: 'webhooks replay', event_id: null, events: 1, details: 'what was missed' },
    ]);
  });

  it('since a time sends what was given up or missed at it or later', async () => {
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
    expect(await Promise.all(since.map(stateOf))).toEqual(['pending', 'pending']);
    expect(await stateOf(before)).toBe('exhausted');
    expect(await eventRow(bed, pending)).toMatchObject({ check_at: secondsAfter(NOON, 420) });
    expect(await actionsOn(bed, partner)).toMatchObject([
      { events: 2, details: 'since 2026-03-02T12:01:00.000Z' },
    ]);
  });

  it('goes by the last attempt of an event that was missed later than it was written', async () => {
    const eventId = await anEvent(bed, partner, { state: 'skipped', attempts: 1 });
    await bed.database.query({
      text: `update webhook_attempts set started_at = $2 where event_id = $1`,
      values: [eventId, secondsAfter(NOON, 3_600)],
    });
    await expect(many(secondsAfter(NOON, 3_601))).resolves.toMatchObject({ replayed: 0 });
    await expect(many(secondsAfter(NOON, 3_600))).resolves.toMatchObject({ replayed: 1 });
  });

  it('works through any number in batches, tells how far it is, and leaves one trace', async () => {
    await manyEvents(bed, partner, { state: 'skipped', count: 1_200 });
    const told: number[] = [];
    await expect(many(undefined, (count) => told.push(count))).resolves.toMatchObject({
      replayed: 1_200,
    });
    expect(told).toEqual([500, 1_000]);
    expect(await actionsOn(bed, partner)).toMatchObject([{ events: 1_200 }]);
  });

  it('interrupted and repeated sends the rest, and the traces say what was done', async () => {
    await manyEvents(bed, partner, { state: 'exhausted', count: 700 });
    const interrupted = many(NOON, (count) => {
      throw new Error(`killed after ${String(count)}`);
    });
    await expect(interrupted).rejects.toThrow('killed after 500');
    await expect(many(NOON)).resolves.toMatchObject({ replayed: 200 });
    expect(await actionsOn(bed, partner)).toMatchObject([{ events: 500 }, { events: 200 }]);
    const pending = `select count(*) from webhook_events where state = 'pending' and partner_id = $1`;
    expect(await countOf(bed, pending, [partner.partnerId])).toBe(700);
  });

  it('leaves what is under way, and says so', async () => {
    await anEvent(bed, partner, { state: 'skipped', leasedForSeconds: 30 });
    await anEvent(bed, partner, { state: 'skipped' });
    const ran = await replay('--partner', partner.partnerId, '--missing');
    expect(ran.stdout).toMatch(/^replayed +1\nunder_way +1$/m);
    expect(ran.stdout).toContain('1 are being sent at this moment');
  });

  it('is refused while the endpoint is disabled, be it on the way', async () => {
    await anEvent(bed, partner, { state: 'skipped' });
    await disableEndpoint(bed, partner);
    expectRejected(
      await replay('--partner', partner.partnerId, '--missing'),
      1,
      'Nothing was changed. Enable it first',
    );
  });

  it('says that there was nothing, and leaves no trace of it', async () => {
    expect(textOf(await replay('--partner', partner.partnerId, '--missing'))).toContain(
      'There was nothing to send again.',
    );
    expect(await actionsOn(bed, partner)).toEqual([]);
  });
});
