// What holds answers to the contract bites: each way in which an answer can differ is noticed, in answers that are right but
// for that.
import {
  holdWebhookToContract,
  holdToContract,
  mistakesIn,
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
const REFUSED: Exchange = {
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
  ['a rejection', REFUSED],
  ['a rejection in the other envelope', { ...REFUSED, ...nestedBody({}) }],
  ['a path that is nowhere', { ...REFUSED, path: '/v2/payment_intents' }],
  ['a method that is nowhere', { ...REFUSED, method: 'PUT' }],
  [
    'what is not HTTP',
    {
      ...REFUSED,
      status: 400,
      path: '*',
      text: REFUSED.text.replace('not_found', 'validation_failed'),
    },
  ],
  ['health, which is not the partners’', { ...CREATED, path: '/healthz', text: '{}' }],
] satisfies [string, Exchange][])('takes %s', (_name, exchange) => {
  expect(mistakesIn(exchange)).toEqual([]);
});

it.each([
  ['a status that is not documented', { ...CREATED, status: 200 }],
  ['a status of another operation', { ...FOUND, status: 409 }],
  ['a 401 on a path that is nowhere', { ...REFUSED, status: 401, path: '/v2' }],
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
  ['captured without its time', { ...FOUND, text: body({ status: 'captured' }) }],
  ['a time of capture without it', { ...FOUND, text: body({ captured_at: INTENT.created_at }) }],
  [
    'the code of another status',
    { ...REFUSED, text: REFUSED.text.replace('not_found', 'conflict') },
  ],
  [
    'an error with its request id',
    { ...REFUSED, text: '{"error":"not_found","message":"x","request_id":"x"}' },
  ],
  ['the other envelope', { ...REFUSED, text: nestedBody({}).text }],
  [
    'the request id of another answer',
    { ...REFUSED, ...nestedBody({ request_id: 'req_000000000000000000000000' }) },
  ],
  [
    'the code of another status in the other envelope',
    { ...REFUSED, ...nestedBody({ code: 'conflict' }) },
  ],
  ['what is not JSON', { ...CREATED, text: 'created' }],
  ['a HEAD with a body', { ...FOUND, method: 'HEAD' }],
] satisfies [string, Exchange][])('notices %s', (_name, exchange) => {
  expect(mistakesIn(exchange)).not.toEqual([]);
  expect(() => {
    holdToContract(exchange);
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
      holdWebhookToContract({ body: text, headers: { ...headers, ...changed } });
    };

  it('as documented is taken', () => {
    expect(hold({})).not.toThrow();
  });

  it.each([
    ['of another type', { type: 'payment_intent.created' }, {}],
    ['whose intent is not what its type says', { type: 'payment_intent.failed' }, {}],
    ['with a member more', { partner_id: 'acme' }, {}],
    ['with a signature of another shape', {}, { 'webhook-signature': 'v2,x' }],
    ['with a time that is none', {}, { 'webhook-timestamp': 'now' }],
  ])('%s is noticed', (_name, members, changed) => {
    expect(hold(members, changed)).toThrow('Not a webhook of api/openapi.yaml');
  });
});
