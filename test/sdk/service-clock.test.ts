// Step 3 of protocol 3.4. A partner's clock that is off is corrected once
// from the service's `Date`; whatever stands there, nothing loops and nothing sticks that the service has not taken.
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

/** The service's `Date` this far from the caller's clock. */
const dateAt = (differenceMs: number) =>
  new Date(Date.parse(OWN_TIME) + differenceMs).toUTCString();
const refusedAt = (date: string) =>
  json(401, { error: 'authentication_failed', message: 'No.' }, { date });
const taken = json(200, WIRE_INTENT);

const timestamps = (service: StubService) => headersSent(service, 'x-service-timestamp');
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: unknown) => (error as { status?: number }).status,
  );

describe('a rejection by a service whose clock is elsewhere', () => {
  it.each([10 * MINUTE_MS, -10 * MINUTE_MS, DAY_MS, -DAY_MS, MINUTE_MS + 1_000])(
    'is repeated once with the time of its Date: %i ms',
    async (differenceMs) => {
      const service = aService(refusedAt(dateAt(differenceMs)), taken);
      const intent = await aClient(service).getIntent(INTENT_ID);
      expect(intent.intentId).toBe(INTENT_ID);
      const corrected = new Date(Date.parse(OWN_TIME) + differenceMs).toISOString();
      expect(timestamps(service)).toEqual([OWN_TIME, corrected]);
      expect(new Set(headersSent(service, 'x-service-nonce')).size).toBe(2);
    },
  );

  it('keeps the idempotency key of a create', async () => {
    const service = aService(refusedAt(dateAt(-10 * MINUTE_MS)), json(201, WIRE_INTENT));
    await aClient(service).createIntent(ORDER);
    const keys = headersSent(service, 'idempotency-key');
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('does not loop: the second rejection is the answer, whatever its Date', async () => {
    const service = aService(
      refusedAt(dateAt(10 * MINUTE_MS)),
      refusedAt(dateAt(20 * MINUTE_MS)),
      taken,
    );
    expect(await statusOf(aClient(service).getIntent(INTENT_ID))).toBe(401);
    expect(service.sent).toHaveLength(2);
  });

  it('counts as one of the attempts, so that one attempt is one request', async () => {
    const service = aService(refusedAt(dateAt(10 * MINUTE_MS)), taken);
    expect(await statusOf(aClient(service, { maxAttempts: 1 }).getIntent(INTENT_ID))).toBe(401);
    expect(service.sent).toHaveLength(1);
  });

  it('leaves the remaining attempts for what comes after it', async () => {
    const service = aService(refusedAt(dateAt(10 * MINUTE_MS)), networkFailure, taken);
    expect(await statusOf(aClient(service).getIntent(INTENT_ID))).toBe(200);
    const [, second, third] = timestamps(service);
    expect(second).toBe('2025-01-15T10:40:00.000Z');
    expect(third).toBe(second);
  });
});

describe('a Date that is no reason to try again', () => {
  it.each([
    ['not there', undefined],
    ['near', dateAt(0)],
    ['a minute away', dateAt(MINUTE_MS)],
    ['more than a day away', dateAt(DAY_MS + 1_000)],
    ['a year away', 'Thu, 15 Jan 2026 10:30:00 GMT'],
    ['in another form', '2025-01-15T10:40:00Z'],
    ['of no calendar', 'Wed, 99 Jan 2025 10:40:00 GMT'],
    ['garbled', 'soon'],
    ['empty', ''],
  ])('is one that is %s', async (_, date) => {
    const service = aService(date === undefined ? json(401, {}) : refusedAt(date), taken);
    expect(await statusOf(aClient(service).getIntent(INTENT_ID))).toBe(401);
    expect(service.sent).toHaveLength(1);
  });
});

describe('a correction', () => {
  it('stays for the next calls once the service has taken it, and is told by now()', async () => {
    const service = aService(refusedAt(dateAt(10 * MINUTE_MS)), taken);
    const client = aClient(service);
    expect(client.now().toISOString()).toBe(OWN_TIME);
    await client.getIntent(INTENT_ID);
    await client.getIntent(INTENT_ID);
    expect(timestamps(service)[2]).toBe('2025-01-15T10:40:00.000Z');
    expect(client.now().toISOString()).toBe('2025-01-15T10:40:00.000Z');
  });

  it.each([
    ['refuses it too', refusedAt(dateAt(0))],
    ['cannot tell', json(503, {})],
  ])('is forgotten when the service %s: a forged Date does not stick', async (_, second) => {
    const service = aService(refusedAt(dateAt(10 * MINUTE_MS)), second);
    const client = aClient(service);
    await statusOf(client.getIntent(INTENT_ID));
    expect(client.now().toISOString()).toBe(OWN_TIME);
  });

  it('is undone in the same way when the clock has been set meanwhile', async () => {
    const late = refusedAt(dateAt(10 * MINUTE_MS));
    const service = aService(late, taken, refusedAt(dateAt(0)), taken);
    const client = aClient(service);
    await client.getIntent(INTENT_ID);
    await client.getIntent(INTENT_ID);
    expect(timestamps(service)[3]).toBe(OWN_TIME);
    expect(client.now().toISOString()).toBe(OWN_TIME);
  });
});

describe('cancelIntent after a corrected clock', () => {
  it('takes no conflict for its own success: what was refused has done nothing', async () => {
    const service = aService(refusedAt(dateAt(10 * MINUTE_MS)), conflict, cancelled);
    expect(await statusOf(aClient(service).cancelIntent(INTENT_ID))).toBe(409);
  });

  it('still does when an attempt before the correction had no answer', async () => {
    const late = refusedAt(dateAt(10 * MINUTE_MS));
    const service = aService(networkFailure, late, conflict, cancelled);
    const intent = await aClient(service).cancelIntent(INTENT_ID);
    expect(intent.status).toBe('cancelled');
  });
});
