// Test webhooks of the SDK are those that the service sends (protocol 7; decisions 18 and 21).
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { toWire } from '../../../api/intents/view';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { createOutbound } from '../../../src/http/outbound';
import { createWebhookSender } from '../../../src/http/webhook-sender';
import { listen } from '../../../src/main/listen';
import {
  generateTestWebhook,
  verifyWebhook,
  WebhookVerificationError,
  type TestWebhookInput,
  type WebhookEventType,
} from '../../../src/sdk';
import { readVectors } from '../../signing/vectors';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const AT = new Date('2025-01-15T10:30:02.000Z');
const now = () => AT;

const generate = (input: Partial<TestWebhookInput> = {}) =>
  generateTestWebhook({ secrets: [SECRET], now, ...input });

function verdictOn(webhook: ReturnType<typeof generate>, secret = SECRET): string {
  try {
    return String(verifyWebhook(webhook.body, webhook.headers, [secret], { now }).type);
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.reason : String(error);
  }
}

const TYPES: readonly [WebhookEventType, string][] = [
  ['payment_intent.captured', 'captured'],
  ['payment_intent.failed', 'failed'],
  ['payment_intent.refunded', 'refunded'],
  ['payment_intent.expired', 'expired'],
  ['payment_intent.cancelled', 'cancelled'],
];

describe.each(TYPES)('a webhook of %s', (type, status) => {
  it('is accepted, and its intent has the status of the event', () => {
    const { body, headers } = generate({ type });
    const event = verifyWebhook(body, headers, [SECRET], { now });
    expect(event).toMatchObject({ type, timestamp: AT, data: { status, amountUsdCents: 1250 } });
    expect(event).toMatchObject({ data: { capturedAt: status === 'captured' ? AT : null } });
  });

  it('shows the intent as the service writes it', () => {
    const facts = { intentId: 'pi_1', amountUsdCents: 900, corridor: 'vn_qrpay', createdAt: AT };
    const intent = { ...facts, status, capturedAt: AT } as unknown as PaymentIntent;
    const data: unknown = JSON.parse(generate({ type, intent }).body);
    expect(JSON.stringify(data)).toBe(
      `{"type":"${type}","timestamp":"${AT.toISOString()}","data":${toWire(intent)},` +
        '"payout":{"reference":null,"local":null,"code":null}}',
    );
  });

  it.each([
    ['tampered', 'no_matching_signature'],
    ['stale', 'timestamp_too_old'],
  ] as const)('that is %s is rejected as %s', (fault, reason) => {
    expect(verdictOn(generate({ type, fault }))).toBe(reason);
  });
});

it('has the body of the published vector', () => {
  const [vector] = readVectors().webhooks;
  const { id = '', body = '' } = vector ?? {};
  const intent = { intentId: 'pi_00000000000000000000000000' };
  const payout = { reference: 'SB-ECF84D6A3A75', local: { currency: 'THB', amount: 43_125 } };
  expect(generate({ id, intent, payout }).body).toBe(body);
});

it('is accepted by the library of Standard Webhooks', () => {
  const { body, headers } = generateTestWebhook({ secrets: [OTHER_SECRET, SECRET] });
  expect(new Webhook(SECRET).verify(body, { ...headers })).toEqual(JSON.parse(body));
});

it('has the headers with which the service sends the same body', async () => {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.end();
  });
  const outbound = createOutbound();
  const port = await listen(server, 0, '127.0.0.1');
  const secrets = [SECRET, OTHER_SECRET];
  const { headers, body } = generate({ id: 'evt_1', secrets });
  const url = `http://127.0.0.1:${String(port)}/`;
  const post = { url, eventId: 'evt_1', sentAt: AT, body, secrets };
  await createWebhookSender(outbound).post(post);
  await outbound.close();
  server.closeAllConnections();
  server.close();
  const [sent = {}] = received;
  const others = ['host', 'connection', 'content-length'];
  const ours = Object.entries(sent).filter(([name]) => !others.includes(name));
  expect(Object.fromEntries(ours)).toEqual(headers);
});

it('is accepted with either secret during a rotation, and with no other', () => {
  const webhook = generate({ secrets: [SECRET, OTHER_SECRET] });
  const type = 'payment_intent.captured';
  expect([verdictOn(webhook), verdictOn(webhook, OTHER_SECRET)]).toEqual([type, type]);
  expect(verdictOn(generate(), OTHER_SECRET)).toBe('no_matching_signature');
});

it('has an id of its own each time, unless one is given', () => {
  const idOf = (id?: string) => generate(id === undefined ? {} : { id }).headers['webhook-id'];
  expect(idOf()).toMatch(/^evt_[0-9a-z]{26}$/);
  expect(idOf()).not.toBe(idOf());
  expect(idOf('evt_1')).toBe('evt_1');
});

it.each([
  ['a text in place of the secrets', { secrets: SECRET }, 'secrets is not a list'],
  ['a secret of another form', { secrets: ['secret'] }, 'A webhook secret is `whsec_`'],
  ['a type that is never sent', { type: 'payment_intent.created' }, 'type is not one of'],
])('%s is rejected', (_, input, message) => {
  expect(() => generate(input as unknown as Partial<TestWebhookInput>)).toThrow(message);
});
