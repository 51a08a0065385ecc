// Whoever sends a webhook takes others along that wait at the same endpoint (decision 19), so that a backlog goes at the
// speed of the endpoint.
import { anEventId } from '../support/builders';
import { answered, aWorld, EVENT, OWED, SILENCE } from './webhook-world';

const others = (count: number) =>
  Array.from({ length: count }, () => ({ ...OWED, eventId: anEventId() }));

describe('what waits at the same endpoint', () => {
  it('is taken along, chunk by chunk, each recorded before the next is taken', async () => {
    const waiting = [others(8), others(3)];
    const { posted, finished, deliver } = aWorld({ waiting });
    await deliver();
    expect(posted.map(({ eventId }) => eventId)).toEqual([
      EVENT,
      ...waiting.flat().map(({ eventId }) => eventId),
    ]);
    expect(finished.map(({ attempts, wanted }) => [attempts.length, wanted])).toEqual([
      [1, 8],
      [8, 8],
      [3, 8],
    ]);
  });

  it.each([
    ['does not answer', SILENCE],
    ['answers 503', answered(503)],
    ['answers 429', answered(429)],
    ['answers 410', answered(410)],
  ])('is left there when the endpoint %s, and given back', async (_what, reply) => {
    const replies = [answered(200), answered(200), reply];
    const { finished, deliver } = aWorld({ replies, waiting: [others(8), others(8)] });
    await deliver();
    expect(finished.map(({ attempts, wanted }) => [attempts.length, wanted])).toEqual([
      [1, 8],
      [2, 0],
    ]);
  });

  it('is sent on after an answer that concerns one event only', async () => {
    const replies = [answered(200), answered(400), answered(500), answered(200)];
    const { finished, deliver } = aWorld({ replies, waiting: [others(3)] });
    await deliver();
    expect(finished.map(({ attempts }) => attempts.map(({ result }) => result))).toEqual([
      ['delivered'],
      ['retry', 'retry', 'delivered'],
    ]);
  });

  it('is left there by an endpoint that took longer than two seconds', async () => {
    const { finished, deliver } = aWorld({ waiting: [others(8)], takesSeconds: 2.001 });
    await deliver();
    expect(finished).toMatchObject([{ wanted: 0 }]);
  });

  it('is taken along for five seconds only', async () => {
    const { posted, finished, deliver } = aWorld({
      waiting: [others(8), others(8), others(8)],
      takesSeconds: 0.5,
    });
    await deliver();
    expect(posted).toHaveLength(11);
    expect(finished.at(-1)).toMatchObject({ wanted: 0 });
  });

  it('is left there when the worker stops', async () => {
    const { finished, deliver } = aWorld({ waiting: [others(8)], isStopping: true });
    await deliver();
    expect(finished).toMatchObject([{ wanted: 0 }]);
  });

  it('does not hide what the event itself met', async () => {
    const replies = [answered(404), answered(200)];
    const { recorded, deliver } = aWorld({ replies, waiting: [others(1)] });
    await expect(deliver()).rejects.toMatchObject({
      message: 'attempt 1 of 10: the endpoint answered 404',
    });
    expect(recorded()).toHaveLength(2);
  });
});
