// Step 3 of protocol 3.4. The client corrects a wrong clock once by the service's `Date`. No `Date`
// makes it loop, and it keeps no correction that the service has not accepted.
import {
  aClient,
  aService,
  cancelled,
  conflict,
  headersSent,
  INTENT_ID,
  json,
  networkFailure,
  ORDER,
  OWN_TIME,
  WIRE_INTENT,
  type StubService,
} from './stub-service';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A `Date` header that differs this much from the caller's clock. */
const dateAt = (differenceMs: number) =>
  new Date(Date.parse(OWN_TIME) + differenceMs).toUTCString();
const rejectedAt = (date: string) =>
  json(401, { error: 'authentication_failed', message: 'No.' }, { date });
const accepted = json(200, WIRE_INTENT);

const timestamps = (service: StubService) => headersSent(service, 'x-service-timestamp');
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: unknown) => (error as { status?: number }).status,
  );

describe('a 401 of a service with a different clock', () => {
  it.each([10 * MINUTE_MS, -10 * MINUTE_MS, DAY_MS, -DAY_MS, MINUTE_MS + 1_000])(
    'is retried once with the time of its Date: %i ms',
    async (differenceMs) => {
      const service = aService(rejectedAt(dateAt(differenceMs)), accepted);
      const intent = await aClient(service).getIntent(INTENT_ID);
      expect(intent.intentId).toBe(INTENT_ID);
      const corrected = new Date(Date.parse(OWN_TIME) + differenceMs).toISOString();
      expect(timestamps(service)).toEqual([OWN_TIME, corrected]);
      expect(new Set(headersSent(service, 'x-service-nonce')).size).toBe(2);
    },
  );

  it('keeps the idempotency key of a create', async () => {
    const service = aService(rejectedAt(dateAt(-10 * MINUTE_MS)), json(201, WIRE_INTENT));
    await aClient(service).createIntent(ORDER);
    const keys = headersSent(service, 'idempotency-key');
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('is retried only once, whatever the Date of the second 401', async () => {
    const service = aService(
      rejectedAt(dateAt(10 * MINUTE_MS)),
      rejectedAt(dateAt(20 * MINUTE_MS)),
      accepted,
    );
    expect(await statusOf(aClient(service).getIntent(INTENT_ID))).toBe(401);
    expect(service.sent).toHaveLength(2);
  });

  it('counts as one of the attempts, so that one attempt sends one request', async () => {
    const service = aService(rejectedAt(dateAt(10 * MINUTE_MS)), accepted);
    expect(await statusOf(aClient(service, { maxAttempts: 1 }).getIntent(INTENT_ID))).toBe(401);
    expect(service.sent).toHaveLength(1);
  });

  it('leaves the remaining attempts for failures after it', async () => {
    const service = aService(rejectedAt(dateAt(10 * MINUTE_MS)), networkFailure, accepted);
    expect(await statusOf(aClient(service).getIntent(INTENT_ID))).toBe(200);
    const [, second, third] = timestamps(service);
    expect(second).toBe('2025-01-15T10:40:00.000Z');
    expect(third).toBe(second);
  });
});

describe('no retry is made for a Date', () => {
  it.each([
    ['missing', undefined],
    ['near', dateAt(0)],
    ['a minute away', dateAt(MINUTE_MS)],
    ['more than a day away', dateAt(DAY_MS + 1_000)],
    ['a year away', 'Thu, 15 Jan 2026 10:30:00 GMT'],
    ['in another format', '2025-01-15T10:40:00Z'],
    ['of an impossible day', 'Wed, 99 Jan 2025 10:40:00 GMT'],
    ['garbled', 'soon'],
    ['empty', ''],
  ])('that is %s', async (_, date) => {
    const service = aService(date === undefined ? json(401, {}) : rejectedAt(date), accepted);
    expect(await statusOf(aClient(service).getIntent(INTENT_ID))).toBe(401);
    expect(service.sent).toHaveLength(1);
  });
});

describe('a correction', () => {
  it('is used by later calls and by now() once the service has accepted it', async () => {
    const service = aService(rejectedAt(dateAt(10 * MINUTE_MS)), accepted);
    const client = aClient(service);
    expect(client.now().toISOString()).toBe(OWN_TIME);
    await client.getIntent(INTENT_ID);
    await client.getIntent(INTENT_ID);
    expect(timestamps(service)[2]).toBe('2025-01-15T10:40:00.000Z');
    expect(client.now().toISOString()).toBe('2025-01-15T10:40:00.000Z');
  });

  it.each([
    ['401', rejectedAt(dateAt(0))],
    ['503', json(503, {})],
    ['302', json(302, {}, { location: 'https://portal.example/' })],
    ['403', json(403, '<html>')],
    ['404', json(404, {})],
  ])('from a forged Date is discarded when the second answer is %s', async (_, second) => {
    const service = aService(rejectedAt(dateAt(10 * MINUTE_MS)), second);
    const client = aClient(service);
    await statusOf(client.getIntent(INTENT_ID));
    expect(client.now().toISOString()).toBe(OWN_TIME);
  });

  it('is undone in the same way when the caller’s clock has been set right', async () => {
    const late = rejectedAt(dateAt(10 * MINUTE_MS));
    const service = aService(late, accepted, rejectedAt(dateAt(0)), accepted);
    const client = aClient(service);
    await client.getIntent(INTENT_ID);
    await client.getIntent(INTENT_ID);
    expect(timestamps(service)[3]).toBe(OWN_TIME);
    expect(client.now().toISOString()).toBe(OWN_TIME);
  });
});

describe('cancelIntent after a corrected clock', () => {
  it('does not treat a conflict as success, because the 401 has done nothing', async () => {
    const service = aService(rejectedAt(dateAt(10 * MINUTE_MS)), conflict, cancelled);
    expect(await statusOf(aClient(service).cancelIntent(INTENT_ID))).toBe(409);
  });

  it('treats a conflict as success if an attempt before the 401 got no answer', async () => {
    const late = rejectedAt(dateAt(10 * MINUTE_MS));
    const service = aService(networkFailure, late, conflict, cancelled);
    const intent = await aClient(service).cancelIntent(INTENT_ID);
    expect(intent.status).toBe('cancelled');
  });
});
