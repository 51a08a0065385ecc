// The check of answers against the contract reports each kind of difference, in answers with only
// that difference.
import {
  assertWebhookContract,
  assertContract,
  contractErrorsIn,
  type Exchange,
} from '../../support/contract/contract';
import { CONTRACT } from '../../support/contract/contract-document';

const INTENT = {
  intent_id: 'pi_01m7zvt6ngevzgp93xesv27j2y',
  status: 'created',
  amount_usd_cents: 1_250,
  corridor: 'th_qrpay',
  created_at: '2026-11-21T20:12:25.686Z',
};
const PATH = '/v1/payment_intents';
const HEADERS = [
  ['X-Request-Id', 'req_54ddb056465a6f15f010c8f4'],
  ['Date', 'Sat, 21 Nov 2026 20:12:25 GMT'],
  ['Content-Type', 'application/json; charset=utf-8'],
] as const;
const CREATED: Exchange = {
  method: 'POST',
  path: PATH,
  status: 201,
  headers: HEADERS,
  text: JSON.stringify(INTENT),
};
const REJECTED: Exchange = {
  ...CREATED,
  status: 404,
  path: `${PATH}/${INTENT.intent_id}/cancel`,
  text: '{"error":"not_found","message":"There is no such resource."}',
};
const FOUND: Exchange = { ...CREATED, status: 200, method: 'GET', path: `${PATH}/pi_1` };

const body = (members: object) => JSON.stringify({ ...INTENT, ...members });
const nestedBody = (error: object) => ({
  text: JSON.stringify({
    error: { code: 'not_found', message: 'x', request_id: HEADERS[0][1], ...error },
  }),
  envelope: 'nested' as const,
});

it.each([
  ['a create', CREATED],
  ['a replay', { ...CREATED, headers: [...HEADERS, ['Idempotent-Replayed', 'true']] }],
  ['a GET', FOUND],
  ['a HEAD', { ...FOUND, method: 'HEAD', text: '' }],
  ['a rejection', REJECTED],
  ['a rejection in the other envelope', { ...REJECTED, ...nestedBody({}) }],
  ['an unknown path', { ...REJECTED, path: '/v2/payment_intents' }],
  ['an unknown method', { ...REJECTED, method: 'PUT' }],
  [
    'what is not HTTP',
    {
      ...REJECTED,
      status: 400,
      path: '*',
      text: REJECTED.text.replace('not_found', 'validation_failed'),
    },
  ],
  [
    'a health check, which is not part of the contract',
    { ...CREATED, path: '/healthz', text: '{}' },
  ],
] satisfies [string, Exchange][])('accepts %s', (_name, exchange) => {
  expect(contractErrorsIn(exchange)).toEqual([]);
});

it.each([
  ['a status that is not documented', { ...CREATED, status: 200 }],
  ['a status of another operation', { ...FOUND, status: 409 }],
  ['a 401 on an unknown path', { ...REJECTED, status: 401, path: '/v2' }],
  ['a header that is not documented', { ...CREATED, headers: [...HEADERS, ['X-Powered-By', 'x']] }],
  ['a header of another answer', { ...CREATED, headers: [...HEADERS, ['Retry-After', '1']] }],
  ['a header that is missing', { ...CREATED, headers: HEADERS.slice(1) }],
  ['a header twice', { ...CREATED, headers: [...HEADERS, HEADERS[0]] }],
  [
    'a header of another shape',
    { ...CREATED, headers: [['X-Request-Id', 'req_1'], ...HEADERS.slice(1)] },
  ],
  [
    'another content type',
    { ...CREATED, headers: [...HEADERS.slice(0, 2), ['Content-Type', 'text/plain']] },
  ],
  ['a member that is not documented', { ...CREATED, text: body({ partner_id: 'acme' }) }],
  ['a member of another type', { ...CREATED, text: body({ amount_usd_cents: '1250' }) }],
  ['a time without its zone', { ...CREATED, text: body({ created_at: '2026-11-21T20:12:25' }) }],
  ['a create that is not created', { ...CREATED, text: body({ status: 'authorized' }) }],
  ['a captured intent without its time', { ...FOUND, text: body({ status: 'captured' }) }],
  [
    'a time of capture without a capture',
    { ...FOUND, text: body({ captured_at: INTENT.created_at }) },
  ],
  [
    'the code of another status',
    { ...REJECTED, text: REJECTED.text.replace('not_found', 'conflict') },
  ],
  [
    'an error with its request id',
    { ...REJECTED, text: '{"error":"not_found","message":"x","request_id":"x"}' },
  ],
  ['the other envelope', { ...REJECTED, text: nestedBody({}).text }],
  [
    'the request id of another answer',
    { ...REJECTED, ...nestedBody({ request_id: 'req_000000000000000000000000' }) },
  ],
  [
    'the code of another status in the other envelope',
    { ...REJECTED, ...nestedBody({ code: 'conflict' }) },
  ],
  ['what is not JSON', { ...CREATED, text: 'created' }],
  ['a HEAD with a body', { ...FOUND, method: 'HEAD' }],
] satisfies [string, Exchange][])('reports %s', (_name, exchange) => {
  expect(contractErrorsIn(exchange)).not.toEqual([]);
  expect(() => {
    assertContract(exchange);
  }).toThrow('Not in api/openapi.yaml');
});

describe('a webhook', () => {
  const { parameters, examples } = CONTRACT.components;
  const event = examples['CapturedEvent']?.value as Readonly<Record<string, unknown>>;
  const headers = {
    'webhook-id': String(parameters['WebhookId']?.example),
    'webhook-timestamp': String(parameters['WebhookTimestamp']?.example),
    'webhook-signature': String(parameters['WebhookSignature']?.example),
  };
  const hold =
    (members: object, changed: object = {}) =>
    () => {
      const text = JSON.stringify({ ...event, ...members });
      assertWebhookContract({ body: text, headers: { ...headers, ...changed } });
    };

  it('as documented is accepted', () => {
    expect(hold({})).not.toThrow();
  });

  it.each([
    ['of another type', { type: 'payment_intent.created' }, {}],
    ['whose intent is not what its type says', { type: 'payment_intent.failed' }, {}],
    ['with an extra member', { partner_id: 'acme' }, {}],
    ['with a signature of another shape', {}, { 'webhook-signature': 'v2,x' }],
    ['with an invalid time', {}, { 'webhook-timestamp': 'now' }],
  ])('%s is reported', (_name, members, changed) => {
    expect(hold(members, changed)).toThrow('Not a webhook of api/openapi.yaml');
  });
});
