// Whoever sends a webhook takes others along that wait at the same endpoint (decision 19), so that a backlog goes at the
// speed of the endpoint.
import { WEBHOOK_CHUNK_EVENTS } from '../../src/domain/limits';
import { anEventId } from '../support/builders';
import { answered, aWorld, EVENT, OWED, SILENCE } from './webhook-world';

const others = (count: number) =>
  Array.from({ length: count }, () => ({ ...OWED, eventId: anEventId() }));

describe('what waits at the same endpoint', () => {
  it('is sent after the event, each once, and recorded', async () => {
    const waiting = others(5);
    const { posted, recorded, records, deliver } = aWorld({ waiting });
    await deliver();
    const ids = [EVENT, ...waiting.map(({ eventId }) => eventId)];
    expect(posted.map(({ eventId }) => eventId)).toEqual(ids);
    expect(recorded().map(({ event }) => event.eventId)).toEqual(ids);
    expect(records.at(-1)).toMatchObject({ unsent: [], wanted: 0, isLast: true });
  });

  it('costs nothing where nothing waits: one record, by which the place is freed', async () => {
    const { records, placesAsked, deliver } = aWorld({});
    await deliver();
    expect(records).toMatchObject([{ attempts: [{ event: OWED }], isLast: true }]);
    expect(placesAsked).toEqual([]);
  });

  it('is sent from all places that are free where there is a whole chunk of it', async () => {
    const waiting = others(3 * WEBHOOK_CHUNK_EVENTS + 5);
    const { posted, records, recorded, placesAsked, deliver } = aWorld({
      ...{ waiting, freePlaces: 2, takesSeconds: 0.01 },
    });
    await deliver();
    expect(placesAsked).toEqual([15]);
    expect(records[1]).toMatchObject({ attempts: [], wanted: 2 * WEBHOOK_CHUNK_EVENTS });
    expect(posted).toHaveLength(1 + waiting.length);
    expect(new Set(recorded().map(({ event }) => event.eventId)).size).toBe(1 + waiting.length);
  });

  it('is fetched while the chunk before is sent, and never more of it than a chunk for each place', async () => {
    const { records, deliver } = aWorld({ waiting: others(40), takesSeconds: 0.01 });
    await deliver();
    const held = records.slice(1, -1).map(({ wanted }) => wanted);
    expect(Math.max(...held)).toBeLessThanOrEqual(WEBHOOK_CHUNK_EVENTS);
    const unrecorded = records.map(({ attempts }) => attempts.length);
    expect(Math.max(...unrecorded)).toBeLessThanOrEqual(WEBHOOK_CHUNK_EVENTS);
  });

  it.each([
    ['does not answer', SILENCE],
    ['answers 503', answered(503)],
    ['answers 429', answered(429)],
    ['answers 410', answered(410)],
  ])('is left there when the endpoint %s, and given back', async (_what, reply) => {
    const waiting = others(8);
    const replies = [answered(200), answered(200), reply];
    const { posted, records, deliver } = aWorld({ replies, waiting });
    await deliver();
    expect(posted).toHaveLength(3);
    expect(records.at(-1)).toMatchObject({ wanted: 0, isLast: true });
    expect(records.at(-1)?.unsent).toEqual(waiting.slice(2));
  });

  it('is sent on after an answer that concerns one event only', async () => {
    const replies = [answered(200), answered(400), answered(500), answered(200)];
    const { recorded, deliver } = aWorld({ replies, waiting: others(3) });
    await deliver();
    expect(recorded().map(({ result }) => result)).toEqual([
      ...['delivered', 'retry', 'retry', 'delivered'],
    ]);
  });

  it('is sent to a slow endpoint for as long as to a fast one', async () => {
    const { posted, records, deliver } = aWorld({ waiting: others(8), takesSeconds: 2 });
    await deliver();
    expect(posted).toHaveLength(3);
    expect(records.at(-1)).toMatchObject({ wanted: 0, isLast: true });
  });

  it('is sent for four seconds only', async () => {
    const { posted, records, deliver } = aWorld({ waiting: others(100), takesSeconds: 0.5 });
    await deliver();
    expect(posted).toHaveLength(9);
    expect(records.at(-1)).toMatchObject({ wanted: 0, isLast: true });
  });

  it('is left there when the worker stops', async () => {
    const { records, deliver } = aWorld({ waiting: others(8), isStopping: true });
    await deliver();
    expect(records).toMatchObject([{ wanted: 0 }]);
  });

  it('does not hide what the event itself met', async () => {
    const replies = [answered(404), answered(200)];
    const { recorded, deliver } = aWorld({ replies, waiting: others(1) });
    await expect(deliver()).rejects.toMatchObject({
      message: 'attempt 1 of 10: the endpoint answered 404',
    });
    expect(recorded()).toHaveLength(2);
  });

  it('is sent no more once it cannot be recorded, and the failure is thrown when nothing is under way', async () => {
    const { posted, records, deliver } = aWorld({
      ...{ waiting: others(100), takesSeconds: 0.01, failsFrom: 2 },
    });
    await expect(deliver()).rejects.toThrow('postgres is away');
    expect(posted.length).toBeLessThanOrEqual(1 + 2 * WEBHOOK_CHUNK_EVENTS);
    expect(records.at(-1)).toMatchObject({ isLast: true });
  });

  it('names what it has in hand while all places of the endpoint are its own, and not before', async () => {
    const waiting = others(20 * WEBHOOK_CHUNK_EVENTS);
    const world = { waiting, takesSeconds: 0.001 };
    const alone = aWorld({ ...world, freePlaces: 15 });
    await alone.deliver();
    const named = alone.records.slice(1).map(({ inHand }) => inHand?.length ?? 0);
    expect(Math.max(...named)).toBeGreaterThan(0);
    expect(alone.records.at(-1)).toMatchObject({ inHand: [], isLast: true });
    const beside = aWorld({ ...world, freePlaces: 14 });
    await beside.deliver();
    expect(beside.records.map(({ inHand }) => inHand)).not.toContainEqual(expect.anything());
  });

  it('keeps the places of an endpoint that was all its own when it cannot be recorded', async () => {
    const { records, deliver } = aWorld({
      ...{ waiting: others(400), takesSeconds: 0.001, freePlaces: 15, failsFrom: 3 },
    });
    await expect(deliver()).rejects.toThrow('postgres is away');
    expect(records[2]?.attempts.length).toBeGreaterThan(0);
    expect(records.at(-1)).toMatchObject({ isLast: false });
  });

  it('gives them back when nothing but the fetching failed', async () => {
    const { records, deliver } = aWorld({
      ...{ waiting: others(400), takesSeconds: 0.001, freePlaces: 15, failsFrom: 2 },
    });
    await expect(deliver()).rejects.toThrow('postgres is away');
    expect(records[1]).toMatchObject({ attempts: [] });
    expect(records.at(-1)).toMatchObject({ isLast: true });
  });

  it('is given back when further places cannot be asked for: what is sent could perhaps not be recorded', async () => {
    const waiting = others(20);
    const { posted, records, deliver } = aWorld({ waiting, freePlaces: 'none told' });
    await expect(deliver()).rejects.toThrow('postgres is away');
    expect(posted).toHaveLength(1);
    const unsent = waiting.slice(0, WEBHOOK_CHUNK_EVENTS);
    expect(records.at(-1)).toMatchObject({ attempts: [], unsent, wanted: 0, isLast: true });
  });
});
