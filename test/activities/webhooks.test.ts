// Webhook delivery (decision 19): by the attempts that were recorded, each with the delay until the next.
import { createWebhookActivities } from '../../activities/webhooks';
import type { WebhookPost, WebhookReply } from '../../src/ports/webhook-sender';
import type { WebhookAttempt, WebhookDelivery } from '../../src/ports/webhook-store';
import { anEventId } from '../support/builders';
import { createTestClock, NOON, secondsAfter } from '../support/clock';

const EVENT = anEventId();
const OWED: WebhookDelivery = {
  eventId: EVENT,
  url: 'https://acme.example/webhooks',
  secrets: ['whsec_b25l', 'whsec_dHdv'],
  body: '{"type":"payment_intent.captured"}',
  attempts: 0,
};
const answered = (status: number, retryAfter?: string): WebhookReply => ({
  status,
  retryAfter,
  excerpt: 'said so',
});

interface World {
  readonly owed?: WebhookDelivery | undefined;
  readonly reply?: WebhookReply;
  readonly recordFails?: boolean;
}

/** A store and a sender that do as told, with what was posted and recorded. An attempt takes 250 ms of the clock. */
function aWorld({ owed = OWED, reply = answered(200), recordFails = false }: World) {
  const posted: WebhookPost[] = [];
  const recorded: WebhookAttempt[] = [];
  const clock = createTestClock();
  const { deliverWebhook } = createWebhookActivities({
    store: {
      findOwed: () => Promise.resolve(owed),
      recordAttempt: (attempt) => {
        recorded.push(attempt);
        return recordFails ? Promise.reject(new Error('postgres is away')) : Promise.resolve();
      },
    },
    sender: {
      post: (message) => {
        posted.push(message);
        clock.turnTo(secondsAfter(clock.now(), 0.25));
        return Promise.resolve(reply);
      },
    },
    clock,
    random: () => 0.5,
  });
  return { posted, recorded, deliver: () => deliverWebhook(EVENT) };
}

const withAttempts = (attempts: number) => ({ ...OWED, attempts });

describe('a webhook', () => {
  it('is posted as it was written, at the instant of this attempt, signed by every secret', async () => {
    const { posted, deliver } = aWorld({});
    await deliver();
    const { url, body, secrets } = OWED;
    expect(posted).toEqual([{ eventId: EVENT, url, body, secrets, sentAt: NOON }]);
  });

  it.each([200, 201, 204, 299])('that is answered %d is delivered', async (status) => {
    const { recorded, deliver } = aWorld({ reply: answered(status) });
    await expect(deliver()).resolves.toBeUndefined();
    expect(recorded).toMatchObject([
      {
        eventId: EVENT,
        startedAt: NOON,
        durationMs: 250,
        status,
        error: null,
        answerExcerpt: 'said so',
        result: 'delivered',
      },
    ]);
  });

  it('that was delivered or given up already does nothing', async () => {
    const posted: unknown[] = [];
    const { deliverWebhook } = createWebhookActivities({
      store: {
        findOwed: () => Promise.resolve(undefined),
        recordAttempt: () => Promise.reject(new Error('nothing is to be recorded')),
      },
      sender: { post: (message) => Promise.resolve((posted.push(message), answered(200))) },
      clock: createTestClock(),
      random: () => 0.5,
    });
    await expect(deliverWebhook(EVENT)).resolves.toBeUndefined();
    expect(posted).toEqual([]);
  });
});

describe('an attempt that is not taken', () => {
  it.each([100, 199, 300, 301, 307, 400, 401, 404, 429, 500, 503])(
    'but answered %d is recorded and tried again',
    async (status) => {
      const { recorded, deliver } = aWorld({ reply: answered(status) });
      await expect(deliver()).rejects.toMatchObject({
        type: 'WebhookRefused',
        message: `the endpoint answered ${String(status)}`,
        nonRetryable: false,
        nextRetryDelay: 5_000,
      });
      expect(recorded).toMatchObject([{ status, result: 'retry', error: null, retryInMs: 5_000 }]);
    },
  );

  it('for want of an answer is recorded with its cause', async () => {
    const { recorded, deliver } = aWorld({ reply: { error: 'timeout after 15 s' } });
    await expect(deliver()).rejects.toMatchObject({ message: 'timeout after 15 s' });
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

  it('that says Retry-After is followed no sooner', async () => {
    const { deliver } = aWorld({ reply: answered(503, '600') });
    await expect(deliver()).rejects.toMatchObject({ nextRetryDelay: 600_000 });
  });

  it('is followed even if it could not be recorded: the store’s failure is thrown', async () => {
    const { deliver } = aWorld({ reply: answered(200), recordFails: true });
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
    expect(recorded).toMatchObject([{ status: 410, result: 'given_up' }]);
  });

  it.each([answered(500), answered(503, '60'), { error: 'connection refused' }])(
    'when the schedule is used up, whatever the tenth attempt met: %p',
    async (reply) => {
      const { recorded, deliver } = aWorld({ owed: withAttempts(9), reply });
      await expect(deliver()).resolves.toBeUndefined();
      expect(recorded).toMatchObject([{ result: 'given_up' }]);
    },
  );

  it('never by an attempt that is taken, the tenth included', async () => {
    const { recorded, deliver } = aWorld({ owed: withAttempts(9) });
    await deliver();
    expect(recorded).toMatchObject([{ result: 'delivered' }]);
  });
});
