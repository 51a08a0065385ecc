// Webhook delivery (decision 19): the recorded attempts choose the delay until the next.
import { NOON } from '../support/clock';
import { aDelivery, answered, CLAIMED, EVENT, SILENCE } from './webhook-world';

const withAttempts = (attempts: number, attemptsReplayed = 0) => ({
  ...CLAIMED,
  attempts,
  attemptsReplayed,
});
describe('a webhook', () => {
  it('is posted with its stored body, the time of this attempt and every secret', async () => {
    const { posted, deliver } = aDelivery({});
    await deliver();
    const { url, secrets, body } = CLAIMED;
    expect(posted).toEqual([{ eventId: EVENT, url, body, secrets, sentAt: NOON }]);
  });

  it.each([200, 201, 204, 299])('that is answered %d is delivered', async (status) => {
    const { recorded, results, deliver } = aDelivery({ reply: answered(status) });
    await expect(deliver()).resolves.toBeUndefined();
    expect(recorded).toEqual([
      {
        startedAt: NOON,
        durationMs: 250,
        status,
        error: null,
        answerExcerpt: 'the answer',
        result: 'delivered',
        retryInMs: null,
      },
    ]);
    expect(results).toEqual(['delivered']);
  });

  it('that is not pending any more is not sent', async () => {
    const { posted, recorded, deliver } = aDelivery({ claim: { outcome: 'done' } });
    await expect(deliver()).resolves.toBeUndefined();
    expect([posted, recorded]).toEqual([[], []]);
  });
});

describe('a failed attempt', () => {
  it.each([100, 199, 300, 301, 307, 400, 401, 404, 429, 500, 503])(
    'that is answered %d is recorded and tried again',
    async (status) => {
      const { recorded, results, deliver } = aDelivery({ reply: answered(status) });
      await expect(deliver()).rejects.toMatchObject({
        type: 'WebhookRejected',
        message: `attempt 1 of 10: the endpoint answered ${String(status)}`,
        nonRetryable: false,
        nextRetryDelay: 5_000,
      });
      expect(recorded).toMatchObject([{ status, result: 'retry', error: null, retryInMs: 5_000 }]);
      expect(results).toEqual(['retry']);
    },
  );

  it('without an answer is recorded with its cause', async () => {
    const { recorded, deliver } = aDelivery({ reply: SILENCE });
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
  ])(
    'after %d recorded ones is followed by the next in %d ms',
    async (attempts, nextRetryDelay) => {
      const world = aDelivery({ event: withAttempts(attempts), reply: answered(500) });
      await expect(world.deliver()).rejects.toMatchObject({ nextRetryDelay });
    },
  );

  it('after a replay is followed by the delays from the start of the schedule', async () => {
    const world = aDelivery({ event: withAttempts(11, 10), reply: answered(500) });
    await expect(world.deliver()).rejects.toMatchObject({
      nextRetryDelay: 300_000,
      message: 'attempt 2 of 10: the endpoint answered 500',
    });
  });

  it.each(['600', 'Mon, 02 Mar 2026 12:10:00 GMT'])(
    'with Retry-After "%s" is not followed before that time',
    async (retryAfter) => {
      const world = aDelivery({ reply: answered(503, retryAfter), postSeconds: 0 });
      await expect(world.deliver()).rejects.toMatchObject({ nextRetryDelay: 600_000 });
    },
  );

  it('that cannot be recorded throws the error of the store', async () => {
    const { deliver } = aDelivery({ isStoreUnreachable: true });
    await expect(deliver()).rejects.toThrow('postgres is unreachable');
  });

  it('has neither secret nor body in its failure', async () => {
    const error: unknown = await aDelivery({ reply: answered(500) })
      .deliver()
      .catch((thrown: unknown) => thrown);
    const text = JSON.stringify(error, Object.getOwnPropertyNames(error));
    expect(text).toContain('the endpoint answered 500');
    for (const secret of [...CLAIMED.secrets, CLAIMED.body]) expect(text).not.toContain(secret);
  });
});

describe('a webhook is exhausted', () => {
  it('at once when the endpoint answers 410, and nothing is thrown', async () => {
    const { recorded, deliver } = aDelivery({ reply: answered(410, '60') });
    await expect(deliver()).resolves.toBeUndefined();
    expect(recorded).toMatchObject([{ status: 410, result: 'exhausted' }]);
  });

  it.each([answered(500), answered(503, '60'), { error: 'connection refused' }])(
    'when the tenth attempt fails: %p',
    async (reply) => {
      const { recorded, deliver } = aDelivery({ event: withAttempts(9), reply });
      await expect(deliver()).resolves.toBeUndefined();
      expect(recorded).toMatchObject([{ result: 'exhausted' }]);
    },
  );

  it('never by a delivery, even by the tenth attempt', async () => {
    const { recorded, deliver } = aDelivery({ event: withAttempts(9) });
    await deliver();
    expect(recorded).toMatchObject([{ result: 'delivered' }]);
  });
});

describe('a webhook that is not sent now', () => {
  it('because it is not due is tried later, and shows the result of the last attempt', async () => {
    const last = { number: 3, status: null, error: 'connection refused' };
    const { posted, deliver } = aDelivery({ claim: { outcome: 'not_due', waitMs: 4_200, last } });
    await expect(deliver()).rejects.toMatchObject({
      type: 'WebhookRejected',
      message: 'attempt 3 of 10: connection refused',
      nextRetryDelay: 4_200,
    });
    expect(posted).toEqual([]);
  });

  it('because another worker sends it is tried again in five seconds', async () => {
    const { deliver } = aDelivery({ claim: { outcome: 'under_way' } });
    await expect(deliver()).rejects.toMatchObject({
      ...{ type: 'WebhookUnderWay', nextRetryDelay: 5_000 },
    });
  });

  it('because no slot is free is left to the poller and tried again in a minute', async () => {
    const { posted, leftToPoller, deliver } = aDelivery({ slotsTaken: 2 });
    await expect(deliver()).rejects.toMatchObject({
      type: 'WebhookQueued',
      nextRetryDelay: 60_000,
    });
    expect(leftToPoller).toEqual([EVENT]);
    expect(posted).toEqual([]);
  });
});

describe('an attempt on the payments queue', () => {
  it('sends the event, and frees its slot', async () => {
    const { posted, takeFreeSlots, deliverAtOnce } = aDelivery({});
    await expect(deliverAtOnce()).resolves.toBeUndefined();
    expect(posted).toHaveLength(1);
    expect(takeFreeSlots()).toBe(2);
  });

  it('is not made if the endpoint has no free slot, and does not change the event', async () => {
    const { posted, leftToPoller, deliverAtOnce } = aDelivery({ slotsTaken: 2 });
    await expect(deliverAtOnce()).rejects.toMatchObject({ type: 'WebhookQueued' });
    expect([posted, leftToPoller]).toEqual([[], []]);
  });

  it('uses fifty tasks at most, and uses them again when they are free', async () => {
    const { deliverAtOnce } = aDelivery({ slots: 60 });
    const all = await Promise.allSettled(Array.from({ length: 52 }, () => deliverAtOnce()));
    const fulfilled = all.filter(({ status }) => status === 'fulfilled');
    expect(fulfilled).toHaveLength(50);
    await expect(deliverAtOnce()).resolves.toBeUndefined();
  });

  it.each([
    [10, true],
    [9, false],
  ])('%d fast deliveries make the endpoint fast: %s', async (count, isFast) => {
    const world = aDelivery({});
    for (let times = 0; times < count; times += 1) await world.deliverAtOnce();
    expect(world.isFast()).toBe(isFast);
  });
});

it('a disabled endpoint is logged, and its event is not tried again', async () => {
  const script = { reply: answered(500), disabledReason: 'it answered 410' };
  const { warnings, deliver } = aDelivery(script);
  await expect(deliver()).resolves.toBeUndefined();
  expect(warnings).toEqual([{ partner_id: 'acme', reason: 'it answered 410' }]);
});

it.each([
  ['delivered', {}],
  ['to be tried again', { reply: answered(500) }],
  ['done already', { claim: { outcome: 'done' } as const }],
  ['not recorded', { isStoreUnreachable: true }],
])('the slot is free again when the event is %s', async (_what, script) => {
  const { takeFreeSlots, deliver } = aDelivery(script);
  await deliver().catch(() => undefined);
  expect(takeFreeSlots()).toBe(2);
});
