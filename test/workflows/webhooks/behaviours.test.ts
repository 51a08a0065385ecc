// Deliveries to each kind of receiver (decision 19): their number, their times and the final state
// of the event. Real receivers over HTTP; the schedule of three days runs under time skipping.
import type { EventId } from '../../../src/domain/ids';
import { createPartnerOutbound } from '../../../src/http/partner-outbound';
import { recogniseErrorsOfNode } from '../../support/builders';
import { startNameServer } from '../../support/servers/name-server';
import { aPartner } from '../../support/payments/partner';
import { quietTemporal } from '../../support/servers/quiet-temporal';
import { aPendingEvent } from '../../support/webhooks/webhook-rows';
import {
  answers,
  startReceiver,
  type Answer,
  type Receiver,
} from '../../support/webhooks/webhook-receiver';
import { inWebhookTime, type WebhookTimeWorld } from '../../support/webhooks/webhook-time-world';

recogniseErrorsOfNode();

const HOUR = 3_600;
/** Seconds between the ten attempts. */
const SCHEDULE = [5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const MEGABYTE = 1_000_000;
/** Suffix of the address of a receiver that does not answer. */
const SILENT = '?silent';

interface Behaviour {
  readonly answer: Answer;
  readonly isTls?: boolean;
  /** Scheme and host of the webhook URL; by default the receiver's own. */
  readonly scheme?: 'https';
  readonly host?: string;
  /** Its attempts time out sooner, to save test time. */
  readonly isSilent?: boolean;
  /** The sandbox by default. */
  readonly environment?: 'prod';
  readonly state: 'delivered' | 'exhausted';
  /** The recorded status, or the error if there was none. */
  readonly result: RegExp;
  /** Seconds between the attempts. */
  readonly waits: readonly number[];
}

const exactly = (result: number | RegExp) =>
  typeof result === 'number' ? new RegExp(`^${String(result)}$`) : result;
const delivered = (answer: Answer, status: number): Behaviour => ({
  ...{ answer, result: exactly(status), state: 'delivered', waits: [] },
});
const failing = (answer: Answer, result: number | RegExp): Behaviour => ({
  ...{ answer, result: exactly(result), state: 'exhausted', waits: SCHEDULE },
});
/** Rejects the first attempt, and accepts the second. */
const acceptingSecond = (rejection: Answer): Answer => {
  return (request, response, nth) => {
    (nth === 1 ? rejection : answers(200))(request, response, nth);
  };
};
const retried = (rejection: Answer, waitSeconds: number): Behaviour => ({
  ...delivered(acceptingSecond(rejection), 200),
  waits: [waitSeconds],
});
/** Requests a retry ten minutes after the time of the attempt. */
const retryAfterDate: Answer = (request, response) => {
  const at = new Date((Number(request.headers['webhook-timestamp']) + 600) * 1_000);
  response.writeHead(503, { 'retry-after': at.toUTCString() }).end();
};
const drip: Answer = (_request, response) => {
  response.writeHead(200);
  const dripping = setInterval(() => response.write('.'), 20);
  response.once('close', () => {
    clearInterval(dripping);
  });
};

const elsewhere: Receiver[] = [];
const redirects = (status: number): Answer => {
  return (_request, response) => {
    response.writeHead(status, { location: elsewhere[0]?.url ?? '' }).end();
  };
};

const NAMED_INWARDS = 'has a name that resolves to 127.0.0.1, in prod';
const ENDPOINTS: Readonly<Record<string, Behaviour>> = {
  'answers 200': delivered(answers(200), 200),
  'answers 204': delivered(answers(204), 204),
  'answers 200 and ten megabytes': delivered(answers(200, {}, 'x'.repeat(10 * MEGABYTE)), 200),
  'answers 301': failing(redirects(301), 301),
  'answers 307': failing(redirects(307), 307),
  'answers 400': failing(answers(400), 400),
  'answers 404': failing(answers(404), 404),
  'answers 410': { ...failing(answers(410), 410), waits: [] },
  'answers 500': failing(answers(500), 500),
  'answers 503': failing(answers(503), 503),
  'answers 500 and ten megabytes': failing(answers(500, {}, 'x'.repeat(10 * MEGABYTE)), 500),
  'answers 429 with Retry-After in seconds': retried(answers(429, { 'retry-after': '600' }), 600),
  'answers 503 with Retry-After as a date': retried(retryAfterDate, 600),
  'answers 503 with Retry-After of a week': retried(
    answers(503, { 'retry-after': String(7 * 24 * HOUR) }),
    24 * HOUR,
  ),
  'answers 503 with Retry-After sooner than the schedule': retried(
    answers(503, { 'retry-after': '1' }),
    5,
  ),
  'never answers': { ...failing(() => undefined, /^timeout after/), isSilent: true },
  'resets the connection': failing((request) => request.socket.resetAndDestroy(), /^connection /),
  'drips one byte at a time': { ...failing(drip, /^timeout after/), isSilent: true },
  'has an untrusted certificate': { ...failing(answers(200), /^no answer/), isTls: true },
  'speaks no TLS': { ...failing(answers(200), /^no answer/), scheme: 'https' },
  'has a name that resolves to 127.0.0.1, in the sandbox': {
    // The address is allowed, but the certificate is not trusted.
    ...{ ...failing(answers(200), /^no answer/), isTls: true, host: 'hooks.inward.test' },
  },
  [NAMED_INWARDS]: {
    ...failing(answers(200), /^the address 127\.0\.0\.1 is not public \(loopback, /),
    ...{ isTls: true, host: 'hooks.inward.test', environment: 'prod' },
  },
};

interface Observed {
  readonly state: string;
  readonly attempts: readonly {
    readonly startedAt: Date;
    readonly status: number | null;
    readonly error: string | null;
    readonly excerpt: string | null;
  }[];
  readonly posts: Receiver['received'];
}

async function startDelivery(
  { bed, start }: WebhookTimeWorld,
  { answer, isTls = false, isSilent = false, scheme, host = '127.0.0.1' }: Behaviour,
) {
  const receiver = await startReceiver(answer, { isTls });
  const url = receiver.url.replace(/^https?/, scheme ?? '$&').replace('127.0.0.1', host);
  const webhookUrl = isSilent ? url + SILENT : url;
  const eventId = await aPendingEvent(bed, await aPartner(bed, { webhookUrl }));
  await start(eventId);
  return { eventId, receiver };
}

async function readAttempts({ database }: WebhookTimeWorld['bed'], eventId: EventId) {
  const { rows } = await database.query<{
    readonly state: string;
    readonly started_at: Date;
    readonly status: number | null;
    readonly error: string | null;
    readonly answer_excerpt: string | null;
  }>({
    text: `select v.state, a.started_at, a.status, a.error, a.answer_excerpt
             from webhook_events v join webhook_attempts a on a.event_id = v.event_id
            where v.event_id = $1 order by a.attempt`,
    values: [eventId],
  });
  const attempts = rows.map(
    ({ started_at: startedAt, status, error, answer_excerpt: excerpt }) => ({
      ...{ startedAt, status, error, excerpt },
    }),
  );
  return { state: rows[0]?.state ?? 'none', attempts };
}

const observed = new Map<string, Observed>();

async function deliverToAll(
  world: WebhookTimeWorld,
  behaviours: readonly (readonly [string, Behaviour])[],
): Promise<void> {
  const all = [];
  // In sequence: each partner is created under a lock, for which many would time out.
  for (const [name, behaviour] of behaviours) {
    all.push({ name, ...(await startDelivery(world, behaviour)) });
  }
  await world.untilDealtWith(all.map(({ eventId }) => eventId));
  for (const { name, eventId, receiver } of all) {
    receiver.close();
    observed.set(name, { ...(await readAttempts(world.bed, eventId)), posts: receiver.received });
  }
}

beforeAll(async () => {
  quietTemporal();
  elsewhere.push(await startReceiver(answers(200)));
  const names = await startNameServer(() => ({ addresses: ['127.0.0.1'] }));
  for (const environment of ['sandbox', 'prod'] as const) {
    const behaviours = Object.entries(ENDPOINTS).filter(
      ([, one]) => (one.environment ?? 'sandbox') === environment,
    );
    const outbound = createPartnerOutbound({ environment }, { servers: names.servers });
    const isSilent = (url: string) => url.endsWith(SILENT);
    await inWebhookTime({ outbound, isSilent }, (world) => deliverToAll(world, behaviours));
  }
  names.close();
});
afterAll(() => {
  elsewhere[0]?.close();
});

/**
 * The waits between the attempts, as steps of the schedule. On a slow machine an attempt is some
 * seconds late. An HTTP date has whole seconds, so it may be up to a second early.
 */
function stepsOf({ attempts }: Observed): readonly number[] {
  const gaps = attempts
    .slice(1)
    .map(({ startedAt }, nth) => startedAt.getTime() - (attempts[nth]?.startedAt.getTime() ?? 0));
  return gaps.map((ms) => {
    const steps = [...SCHEDULE, 600];
    return steps.find((step) => ms > step * 1_000 - 1_000 && ms < step * 1_000 + 60_000) ?? ms;
  });
}

describe.each(Object.entries(ENDPOINTS))('an endpoint that %s', (name, expected) => {
  const outcome = () => {
    const found = observed.get(name);
    if (found === undefined) throw new Error(`no deliveries to the endpoint that ${name}`);
    return found;
  };

  const { state, waits } = expected;
  const count = String(waits.length + 1);
  it(`is sent the event ${count} times by the schedule, and then it is ${state}`, () => {
    expect({ state: outcome().state, waits: stepsOf(outcome()) }).toEqual({ state, waits });
  });

  it('has its last attempt recorded with status or error', () => {
    const last = outcome().attempts.at(-1);
    expect(String(last?.status ?? last?.error)).toMatch(expected.result);
    expect(last?.excerpt?.length ?? 0).toBeLessThanOrEqual(1_024);
  });

  it('gets the same id and body on every attempt, each with its own timestamp', () => {
    const { posts } = outcome();
    const messages = new Set(posts.map(({ id, body }) => `${id} ${body}`));
    expect(messages.size).toBeLessThanOrEqual(1);
    const times = new Set(posts.map(({ headers }) => headers['webhook-timestamp']));
    expect(times.size).toBe(posts.length);
  });
});

it('a name that resolves to 127.0.0.1 is not connected to in prod', () => {
  expect(observed.get(NAMED_INWARDS)?.posts).toEqual([]);
});

it('a redirect is not followed', () => {
  expect(elsewhere[0]?.received).toEqual([]);
});
