// Outward calls and log lines of a running activity (src/main/worker/activity-context.ts), in the
// SDK's activity context.
import { createServer, type RequestListener } from 'node:http';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createOutbound } from '../../src/http/outbound';
import { createWebhookSender } from '../../src/http/webhook-sender';
import {
  abortedAfter,
  withActivityInfo,
  withCancellation,
} from '../../src/main/worker/activity-context';
import { listen } from '../../src/main/listen';
import { startStopwatch } from '../../src/main/stopwatch';

const EVERY_MS = 1;

/** Runs the work beside a server; it gets the server's address. */
async function besideServer(listener: RequestListener, work: (url: string) => Promise<void>) {
  const server = createServer(listener);
  const port = await listen(server, 0, '127.0.0.1');
  try {
    await work(`http://127.0.0.1:${String(port)}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const outbound = withCancellation(createOutbound(), new AbortController().signal, EVERY_MS);
afterAll(() => outbound.close());

const get = (url: string) =>
  outbound.send({ method: 'GET', url, timeoutMs: 20_000, maxBytes: 100 });

it('a call of an activity heartbeats while it lasts, and ends when the activity is cancelled', async () => {
  const activity = new MockActivityEnvironment();
  let heartbeats = 0;
  activity.on('heartbeat', () => {
    heartbeats += 1;
    if (heartbeats === 3) activity.cancel();
  });
  const silent: RequestListener = () => undefined;
  await besideServer(silent, async (url) => {
    await expect(activity.run(() => get(url))).rejects.toThrow(
      'cancelled before a response arrived',
    );
  });
  expect(heartbeats).toBeGreaterThanOrEqual(3);
});

it('an activity that is already cancelled makes no call', async () => {
  const activity = new MockActivityEnvironment();
  activity.cancel();
  const requests: unknown[] = [];
  const answer: RequestListener = ({ url }, response) => {
    requests.push(url);
    response.end();
  };
  await besideServer(answer, async (url) => {
    await expect(activity.run(() => get(url))).rejects.toThrow(
      'cancelled before a response arrived',
    );
    await get(url);
  });
  // Only the second call, outside any activity, was made.
  expect(requests).toHaveLength(1);
});

it('a webhook that the worker cancels does not count as a failure of the endpoint', async () => {
  const activity = new MockActivityEnvironment();
  activity.once('heartbeat', () => activity.cancel());
  const silent: RequestListener = () => undefined;
  const { post } = createWebhookSender(outbound);
  const message = { eventId: 'evt_1', sentAt: new Date(), body: '{}', secrets: [] };
  await besideServer(silent, async (url) => {
    await expect(activity.run(() => post({ url, ...message }))).rejects.toThrow(
      'cancelled before a response arrived',
    );
  });
});

it('a call of a local activity, which is never cancelled, ends some time after its worker begins to stop', async () => {
  const stopping = new AbortController();
  const stoppable = withCancellation(createOutbound(), abortedAfter(stopping.signal, EVERY_MS));
  const request = { method: 'GET', timeoutMs: 20_000, maxBytes: 100 } as const;
  const silent: RequestListener = () => {
    stopping.abort();
  };
  await besideServer(silent, async (url) => {
    const call = new MockActivityEnvironment().run(() => stoppable.send({ ...request, url }));
    await expect(call).rejects.toThrow('cancelled before a response arrived');
    // A call that begins after that is not made.
    const late = new MockActivityEnvironment().run(() => stoppable.send({ ...request, url }));
    await expect(late).rejects.toThrow('cancelled before a response arrived');
  });
  await stoppable.close();
});

it('a line that an activity logs names workflow, activity and attempt', async () => {
  const lines: unknown[] = [];
  const record = (fields: object, message: string) => lines.push({ ...fields, message });
  const log = withActivityInfo({ info: record, warn: record, error: record });
  const activity = new MockActivityEnvironment({ activityType: 'payOut', attempt: 3 });
  await activity.run(async () => {
    await Promise.resolve();
    log.warn({ intent_id: 'pi_1' }, 'paid out');
  });
  log.warn({}, 'outside');
  expect(lines).toEqual([
    { activity: 'payOut', attempt: 3, workflow_id: 'test', intent_id: 'pi_1', message: 'paid out' },
    { message: 'outside' },
  ]);
});

// The stopwatch uses the clock that moved further: neither a suspended machine nor a clock that is
// set back hides elapsed time.
afterEach(() => jest.restoreAllMocks());

/** The stopwatch's result after the two clocks have moved by these times. */
function elapsed(monotonicMs: number, wallMs: number): number {
  const monotonic = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const wall = jest.spyOn(Date, 'now').mockReturnValue(1_767_225_600_000);
  const elapsedMs = startStopwatch();
  monotonic.mockReturnValue(1_000 + monotonicMs);
  wall.mockReturnValue(1_767_225_600_000 + wallMs);
  return elapsedMs();
}

it.each([
  ['both clocks ran', 60_000, 60_000],
  ['the machine was suspended, which stopped the monotonic clock', 5, 60_000],
  ['the wall clock was set back by an hour', 60_000, -3_540_000],
])('the stopwatch measures a minute when %s', (_what, monotonicMs, wallMs) => {
  expect(elapsed(monotonicMs, wallMs)).toBe(60_000);
});
