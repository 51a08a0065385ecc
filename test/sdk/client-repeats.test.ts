// What a refusal says of the attempts before it: one whose answer was lost may have done what was asked.
import { createClient, type Client } from '../../src/sdk';
import { aService, json, networkFailure, WIRE_INTENT, type StubService } from './stub-service';

const aClient = (service: StubService): Client =>
  createClient({
    baseUrl: 'https://pay.example/',
    keyId: 'acme_sandbox_2025q1',
    signingSecret: 'a signing secret',
    fetch: service.fetch,
    now: () => new Date('2025-01-15T10:30:00Z'),
    wait: () => Promise.resolve(),
  });

const unavailable = json(503, { error: 'internal_error', message: 'Try again.' });
const refused = json(401, { error: 'authentication_failed', message: 'Authentication failed.' });
const conflict = json(409, { error: 'conflict', message: 'Too late.' });

const create = (client: Client) =>
  client.createIntent({ partnerUserId: 'user-4711', amountUsdCents: 1250, corridor: 'th_qrpay' });
const cancel = (client: Client) => client.cancelIntent(WIRE_INTENT.intent_id);

const CALLS = [
  { what: 'the first attempt', call: create, answers: [refused], status: 401, isRepeat: false },
  {
    ...{ what: 'a repeat after no answer', call: create, answers: [networkFailure, refused] },
    ...{ status: 401, isRepeat: true },
  },
  {
    ...{ what: 'a repeat after a 503', call: create, answers: [unavailable, refused] },
    ...{ status: 401, isRepeat: true },
  },
  { what: 'the last of three', call: create, answers: [unavailable], status: 503, isRepeat: true },
  { what: 'a cancel', call: cancel, answers: [conflict], status: 409, isRepeat: false },
  {
    ...{ what: 'the read behind a repeated cancel', call: cancel },
    ...{ answers: [networkFailure, conflict, refused], status: 401, isRepeat: true },
  },
];

it.each(CALLS)('$what: isRepeat is $isRepeat', async ({ call, answers, ...told }) => {
  const refusal = call(aClient(aService(...answers)));
  const { status, isRepeat } = told;
  await expect(refusal).rejects.toMatchObject({ name: 'ApiError', status, isRepeat });
});

it('a repeat with the corrected clock is none: the attempt before it was refused', async () => {
  const date = { date: new Date('2025-01-15T11:30:00Z').toUTCString() };
  const late = json(401, { error: 'authentication_failed', message: 'No.' }, date);
  const service = aService(late, refused);
  await expect(create(aClient(service))).rejects.toMatchObject({ isRepeat: false });
  expect(service.sent).toHaveLength(2);
});

it('an answer that holds no intent says it too', async () => {
  const creating = create(aClient(aService(networkFailure, json(201, {}))));
  await expect(creating).rejects.toMatchObject({ code: 'unexpected_answer', isRepeat: true });
});
