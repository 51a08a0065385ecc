// Webhook delivery (decision 19): by the attempts that were recorded, each with the delay until the next.
import { NOON } from '../support/clock';
import { answered, aWorld, EVENT, OWED, SILENCE } from './webhook-world';

const withAttempts = (attempts: number, attemptsReplayed = 0) => ({
  ...OWED,
  attempts,
  attemptsReplayed,
});
describe('a webhook', () => {
  it('is posted as it was written, at the instant of this attempt, signed by every secret', async () => {
    const { posted, deliver } = aWorld({});
    await deliver();
    const { url, secrets, body } = OWED;
    expect(posted).toEqual([{ eventId: EVENT, url, body, secrets, sentAt: NOON }]);
  });

  it.each([200, 201, 204, 299])('that is answered %d is delivered', async (status) => {
    const { recorded, results, deliver } = aWorld({ reply: answered(status) });
    await expect(deliver()).resolves.toBeUndefined();
    expect(recorded).toEqual([
      {
        startedAt: NOON,
        durationMs: 250,
        status,
        error: null,
        answerExcerpt: 'said so',
        result: 'delivered',
        retryInMs: null,
      },
    ]);
    expect(results).toEqual(['delivered']);
  });

  it('that is owed no more does nothing', async () => {
    const { posted, recorded, deliver } = aWorld({ claim: { outcome: 'done' } });
    await expect(deliver()).resolves.toBeUndefined();
    expect([posted, recorded]).toEqual([[], []]);
  });
});

describe('an attempt that is not taken', () => {
  it.each([100, 199, 300, 301, 307, 400, 401, 404, 429, 500, 503])(
    'but answered %d is recorded and tried again',
    async (status) => {
      const { recorded, results, deliver } = aWorld({ reply: answered(status) });
      await expect(deliver()).rejects.toMatchObject({
        type: 'WebhookRefused',
        message: `attempt 1 of 10: the endpoint answered ${String(status)}`,
        nonRetryable: false,
        nextRetryDelay: 5_000,
      });
      expect(recorded).toMatchObject([{ status, result: 'retry', error: null, retryInMs: 5_000 }]);
      expect(results).toEqual(['retry']);
    },
  );

  it('for want of an answer is recorded with its cause', async () => {
    const { recorded, deliver } = aWorld({ reply: SILENCE });
    await expect(deliver()).rejects.toMatchObject({
      message: 'attempt 1 of 10: timeout after 15 s',
    });
    expect(recorded).toMatchObject([
      { status: null, answerExcerpt: null, error: 'timeout after 15 s', result: 'retry' },
    ]);
  });

  it.each([
    [0, 5_000],
    [1, 300_000],
    [2, 1_800_000],
    [7, 72_000_000],
    [8, 86_400_000],
  ])('after %d recorded ones is followed in %d ms', async (attempts, nextRetryDelay) => {
    const world = aWorld({ owed: withAttempts(attempts), reply: answered(500) });
    await expect(world.deliver()).rejects.toMatchObject({ nextRetryDelay });
  });

  it('after a replay is followed as the first ones of the schedule are', async () => {
    const world = aWorld({ owed: withAttempts(11, 10), reply: answered(500) });
    await expect(world.deliver()).rejects.toMatchObject({
      nextRetryDelay: 300_000,
      message: 'attempt 2 of 10: the endpoint answered 500',
    });
  });

  it.each(['600', 'Mon, 02 Mar 2026 12:10:00 GMT'])(
    'that says Retry-After "%s" is followed no sooner',
    async (retryAfter) => {
      const world = aWorld({ reply: answered(503, retryAfter), takesSeconds: 0 });
      await expect(world.deliver()).rejects.toMatchObject({ nextRetryDelay: 600_000 });
    },
  );

  it('is followed even if it could not be recorded: the store’s failure is thrown', async () => {
    const { deliver } = aWorld({ isStoreAway: true });
    await expect(deliver()).rejects.toThrow('postgres is away');
  });

  it('names neither secret nor body in its failure', async () => {
    const error: unknown = await aWorld({ reply: answered(500) })
      .deliver()
      .catch((thrown: unknown) => thrown);
    const told = JSON.stringify(error, Object.getOwnPropertyNames(error));
    expect(told).toContain('the endpoint answered 500');
    for (const secret of [...OWED.secrets, OWED.body]) expect(told).not.toContain(secret);
  });
});

describe('a webhook is given up', () => {
  it('at once when the endpoint answers 410, and nothing is thrown', async () => {
    const { recorded, deliver } = aWorld({ reply: answered(410, '60') });
    await expect(deliver()).resolves.toBeUndefined();
    expect(recorded).toMatchObject([{ status: 410, result: 'exhausted' }]);
  });

  it.each([answered(500), answered(503, '60'), { error: 'connection refused' }])(
    'when the schedule is used up, whatever the tenth attempt met: %p',
    async (reply) => {
      const { recorded, deliver } = aWorld({ owed: withAttempts(9), reply });
      await expect(deliver()).resolves.toBeUndefined();
      expect(recorded).toMatchObject([{ result: 'exhausted' }]);
    },
  );

  it('never by an attempt that is taken, the tenth included', async () => {
    const { recorded, deliver } = aWorld({ owed: withAttempts(9) });
    await deliver();
    expect(recorded).toMatchObject([{ result: 'delivered' }]);
  });
});

describe('a webhook that cannot be taken', () => {
  it('because it is not due is tried when it is, and shows what the last attempt met', async () => {
    const last = { number: 3, status: null, error: 'connection refused' };
    const { posted, deliver } = aWorld({ claim: { outcome: 'not_due', waitMs: 4_200, last } });
    await expect(deliver()).rejects.toMatchObject({
      type: 'WebhookRefused',
      message: 'attempt 3 of 10: connection refused',
      nextRetryDelay: 4_200,
    });
    expect(posted).toEqual([]);
  });

  it('because another worker sends it is looked at again in five seconds', async () => {
    const { deliver } = aWorld({ claim: { outcome: 'under_way' } });
    await expect(deliver()).rejects.toMatchObject({
      ...{ type: 'WebhookUnderWay', nextRetryDelay: 5_000 },
    });
  });

  it('for want of a slot is left to the poller, and looked at again in a minute', async () => {
    const { posted, leftToPoller, deliver } = aWorld({ slotsTaken: 2 });
    await expect(deliver()).rejects.toMatchObject({
      type: 'WebhookQueued',
      nextRetryDelay: 60_000,
    });
    expect(leftToPoller).toEqual([EVENT]);
    expect(posted).toEqual([]);
  });
});

describe('an attempt on the queue of payments', () => {
  it('sends the event, and frees its slot', async () => {
    const { posted, slotsFree, deliverAtOnce } = aWorld({});
    await expect(deliverAtOnce()).resolves.toBeUndefined();
    expect(posted).toHaveLength(1);
    expect(slotsFree()).toBe(2);
  });

  it('takes no slot of a full endpoint, and leaves the event as it is', async () => {
    const { posted, leftToPoller, deliverAtOnce } = aWorld({ slotsTaken: 2 });
    await expect(deliverAtOnce()).rejects.toMatchObject({ type: 'WebhookQueued' });
    expect([posted, leftToPoller]).toEqual([[], []]);
  });

  it('holds fifty tasks at most, and takes them again when they are free', async () => {
    const { deliverAtOnce } = aWorld({ slots: 60 });
    const all = await Promise.allSettled(Array.from({ length: 52 }, () => deliverAtOnce()));
    const fulfilled = all.filter(({ status }) => status === 'fulfilled');
    expect(fulfilled).toHaveLength(50);
    await expect(deliverAtOnce()).resolves.toBeUndefined();
  });

  it.each([
    [10, true],
    [9, false],
  ])('%d events that were taken at once make the endpoint fast: %s', async (count, isFast) => {
    const world = aWorld({});
    for (let times = 0; times < count; times += 1) await world.deliverAtOnce();
    expect(world.isFast()).toBe(isFast);
  });
});

it('an endpoint that was disabled is told to the log, and the event is not tried again', async () => {
  const { told, deliver } = aWorld({ reply: answered(500), disables: 'it answered 410' });
  await expect(deliver()).resolves.toBeUndefined();
  expect(told).toEqual([{ partner_id: 'acme', reason: 'it answered 410' }]);
});

it.each([
  ['delivered', {}],
  ['to be tried again', { reply: answered(500) }],
  ['done already', { claim: { outcome: 'done' } as const }],
  ['not recorded', { isStoreAway: true }],
])('the slot is free again when the event is %s', async (_what, world) => {
  const { slotsFree, deliver } = aWorld(world);
  await deliver().catch(() => undefined);
  expect(slotsFree()).toBe(2);
});
