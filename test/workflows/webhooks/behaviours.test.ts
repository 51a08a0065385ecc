// How each kind of receiver is treated (decision 19): how often it is sent an event, when, and what becomes of it. Real
// receivers over HTTP, and a schedule of three days in moments.
import type { EventId } from '../../../src/domain/ids';
import { createPartnerOutbound } from '../../../src/http/partner-outbound';
import { recogniseErrorsOfNode } from '../../support/builders';
import { startNameServer } from '../../support/servers/name-server';
import { aPartner } from '../../support/payments/partner';
import { quietTemporal } from '../../support/servers/quiet-temporal';
import { anOwedEvent } from '../../support/webhooks/webhook-books';
import {
  answers,
  startReceiver,
  type Answer,
  type Receiver,
} from '../../support/webhooks/webhook-receiver';
import { inWebhookTime, type WebhookTimeWorld } from '../../support/webhooks/webhook-time-world';

recogniseErrorsOfNode();

const WORLD_TIMEOUT_MS = 90_000;
const HOUR = 3_600;
/** Seconds between the ten attempts. */
const SCHEDULE = [5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const MEGABYTE = 1_000_000;
/** Ends the addresses of those who do not answer. */
const SILENT = '?silent';

interface Behaviour {
  readonly answer: Answer;
  readonly isTls?: boolean;
  /** Of the address, which is the receiver's own unless told. */
  readonly scheme?: 'https';
  readonly host?: string;
  /** Nobody waits for its answer as long as for the others'. */
  readonly isSilent?: boolean;
  /** The sandbox unless told. */
  readonly environment?: 'prod';
  readonly state: 'delivered' | 'exhausted';
  /** A status, or what was recorded in its place. */
  readonly met: RegExp;
  /** Seconds between the attempts. */
  readonly waits: readonly number[];
}

const exactly = (met: number | RegExp) =>
  typeof met === 'number' ? new RegExp(`^${String(met)}$`) : met;
const taken = (answer: Answer, status: number): Behaviour => ({
  ...{ answer, met: exactly(status), state: 'delivered', waits: [] },
});
const refused = (answer: Answer, met: number | RegExp): Behaviour => ({
  ...{ answer, met: exactly(met), state: 'exhausted', waits: SCHEDULE },
});
/** Refuses the first attempt, and takes the second. */
const later = (rejection: Answer): Answer => {
  return (request, response, nth) => {
    (nth === 1 ? rejection : answers(200))(request, response, nth);
  };
};
const patient = (rejection: Answer, waitSeconds: number): Behaviour => ({
  ...{ answer: later(rejection), met: exactly(200), state: 'delivered', waits: [waitSeconds] },
});
/** By the receiver's own clock: that of the attempt. */
const askedByDate: Answer = (request, response) => {
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
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'answers 200': taken(answers(200), 200),
  'answers 204': taken(answers(204), 204),
  'answers 200 and ten megabytes': taken(answers(200, {}, 'x'.repeat(10 * MEGABYTE)), 200),
  'answers 301': refused(redirects(301), 301),
  'answers 307': refused(redirects(307), 307),
  'answers 400': refused(answers(400), 400),
  'answers 404': refused(answers(404), 404),
  'answers 410': { ...refused(answers(410), 410), waits: [] },
  'answers 500': refused(answers(500), 500),
  'answers 503': refused(answers(503), 503),
  'answers 500 and ten megabytes': refused(answers(500, {}, 'x'.repeat(10 * MEGABYTE)), 500),
  'answers 429 with Retry-After in seconds': patient(answers(429, { 'retry-after': '600' }), 600),
  'answers 503 with Retry-After as a date': patient(askedByDate, 600),
  'answers 503 with Retry-After of a week': patient(
    answers(503, { 'retry-after': String(7 * 24 * HOUR) }),
    24 * HOUR,
  ),
  'answers 503 with Retry-After sooner than the schedule': patient(
    answers(503, { 'retry-after': '1' }),
    5,
  ),
  'never answers': { ...refused(() => undefined, /^timeout after/), isSilent: true },
  'resets the connection': refused((request) => request.socket.resetAndDestroy(), /^connection /),
  'drips one byte at a time': { ...refused(drip, /^timeout after/), isSilent: true },
  'has a certificate that nobody signed': { ...refused(answers(200), /^no answer/), isTls: true },
  'speaks no TLS': { ...refused(answers(200), /^no answer/), scheme: 'https' },
  'has a name that resolves to 127.0.0.1, in the sandbox': {
    // Connected to, and then its certificate is refused.
    ...{ ...refused(answers(200), /^no answer/), isTls: true, host: 'hooks.inward.test' },
  },
  [NAMED_INWARDS]: {
    ...refused(answers(200), /^the address 127\.0\.0\.1 is not public \(loopback, /),
    ...{ isTls: true, host: 'hooks.inward.test', environment: 'prod' },
  },
};

interface Treated {
  readonly state: string;
  readonly attempts: readonly {
    readonly startedAt: Date;
    readonly status: number | null;
    readonly error: string | null;
    readonly excerpt: string | null;
  }[];
  readonly posts: Receiver['received'];
}

async function begin(
  { bed, start }: WebhookTimeWorld,
  { answer, isTls = false, isSilent = false, scheme, host = '127.0.0.1' }: Behaviour,
) {
  const receiver = await startReceiver(answer, { isTls });
  const url = receiver.url.replace(/^https?/, scheme ?? '$&').replace('127.0.0.1', host);
  const webhookUrl = isSilent ? url + SILENT : url;
  const eventId = await anOwedEvent(bed, await aPartner(bed, { webhookUrl }));
  await start(eventId);
  return { eventId, receiver };
}

async function bookOf({ database }: WebhookTimeWorld['bed'], eventId: EventId) {
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

const treated = new Map<string, Treated>();

async function treat(
  world: WebhookTimeWorld,
  behaviours: readonly (readonly [string, Behaviour])[],
): Promise<void> {
  const all = [];
  // One after the other: a partner is made under a lock, for which many would wait longer than a statement may.
  for (const [name, behaviour] of behaviours) {
    all.push({ name, ...(await begin(world, behaviour)) });
  }
  await world.untilDealtWith(all.map(({ eventId }) => eventId));
  for (const { name, eventId, receiver } of all) {
    receiver.close();
    treated.set(name, { ...(await bookOf(world.bed, eventId)), posts: receiver.received });
  }
}

beforeAll(async () => {
  quietTemporal();
  elsewhere.push(await startReceiver(answers(200)));
  const names = await startNameServer(() => ({ addresses: ['127.0.0.1'] }));
  for (const environment of ['sandbox', 'prod'] as const) {
    const behaviours = Object.entries(BEHAVIOURS).filter(
      ([, one]) => (one.environment ?? 'sandbox') === environment,
    );
    const outbound = createPartnerOutbound({ environment }, { servers: names.servers });
    const isSilent = (url: string) => url.endsWith(SILENT);
    await inWebhookTime({ outbound, isSilent }, (world) => treat(world, behaviours));
  }
  names.close();
}, WORLD_TIMEOUT_MS);
afterAll(() => {
  elsewhere[0]?.close();
});

/**
 * On a slow machine an attempt comes some seconds late, but never as late as the next would be due. A date in HTTP is up to a
 * second early, since it has whole seconds.
 */
function stepsOf({ attempts }: Treated): readonly number[] {
  const gaps = attempts
    .slice(1)
    .map(({ startedAt }, nth) => startedAt.getTime() - (attempts[nth]?.startedAt.getTime() ?? 0));
  return gaps.map((ms) => {
    const steps = [...SCHEDULE, 600];
    return steps.find((step) => ms > step * 1_000 - 1_000 && ms < step * 1_000 + 60_000) ?? ms;
  });
}

describe.each(Object.entries(BEHAVIOURS))('an endpoint that %s', (name, { met, state, waits }) => {
  const outcome = () => {
    const found = treated.get(name);
    if (found === undefined) throw new Error(`${name} was not treated`);
    return found;
  };

  it(`is sent the event ${String(waits.length + 1)} times, at the times of the schedule, and then it is ${state}`, () => {
    expect({ state: outcome().state, waits: stepsOf(outcome()) }).toEqual({ state, waits });
  });

  it('has every attempt recorded by what it met', () => {
    const last = outcome().attempts.at(-1);
    expect(String(last?.status ?? last?.error)).toMatch(met);
    expect(last?.excerpt?.length ?? 0).toBeLessThanOrEqual(1_024);
  });

  it('gets one id and one body on every attempt, each signed at its own time', () => {
    const { posts } = outcome();
    const told = new Set(posts.map(({ id, body }) => `${id} ${body}`));
    expect(told.size).toBeLessThanOrEqual(1);
    const times = new Set(posts.map(({ headers }) => headers['webhook-timestamp']));
    expect(times.size).toBe(posts.length);
  });
});

it('a name that resolves to 127.0.0.1 is not connected to in prod', () => {
  expect(treated.get(NAMED_INWARDS)?.posts).toEqual([]);
});

it('a redirect is not followed', () => {
  expect(elsewhere[0]?.received).toEqual([]);
});
