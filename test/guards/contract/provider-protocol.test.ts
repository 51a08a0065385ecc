// docs/provider-protocol.openapi.yaml describes every answer of the sandbox provider, and
// docs/provider-protocol.md has examples that it allows.
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { FAILURE_CODES } from '../../../src/domain/payouts/permissions';
import * as limits from '../../../src/domain/limits';
import { codeOf, ProviderCaller } from '../../sandbox/provider-caller';
import { aThaiCode } from '../../support/payments/qr-codes';

const DOCS = join(__dirname, '..', '..', '..', 'docs');
const PAGE = readFileSync(join(DOCS, 'provider-protocol.md'), 'utf8');

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface ProtocolDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Record<string, Response> }>>>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}
const text = readFileSync(join(DOCS, 'provider-protocol.openapi.yaml'), 'utf8');
const DOCUMENT = parse(text) as ProtocolDocument;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(parse(text) as object, 'protocol');

function errorsOf(schema: object, value: unknown): string | null {
  const inside = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"protocol#/');
  const validate = ajv.compile(JSON.parse(inside) as object);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The documented answer of that status, for its call such as `GET /payouts/pi_1`. */
function documentedFor(call: string, status: number): Response | undefined {
  const [method = '', path = ''] = call.replace(/ \/payouts\/.+$/, ' /payouts/{key}').split(' ');
  const { responses } = DOCUMENT.paths[path]?.[method.toLowerCase()] ?? { responses: {} };
  const name = [String(status), String(status).replace(/..$/, 'XX')].find(
    (one) => one in responses,
  );
  return resolved(responses[name ?? '']);
}

function resolved(response: Response | undefined): Response | undefined {
  const shared = response?.$ref?.replace('#/components/responses/', '');
  return shared === undefined ? response : DOCUMENT.components.responses[shared];
}

function documentErrors(call: string, status: number, body: unknown): string | null {
  const media = documentedFor(call, status)?.content?.['application/json'];
  return media === undefined ? 'it is not documented' : errorsOf(media.schema, body);
}

let provider: ProviderCaller;
beforeEach(async () => {
  provider = new ProviderCaller();
  await provider.start();
});
afterEach(() => provider.stop());

const order = (change: object = {}) => ({
  amount_usd_cents: 1_250,
  corridor: 'th_qrpay',
  ...change,
});
const quoteRequest = (change: object = {}) => order({ qr_payload: codeOf('th_qrpay'), ...change });
const KEY = { 'idempotency-key': 'pi_1:payout' };

type Call = readonly [
  call: string,
  body?: object | null,
  headers?: Readonly<Record<string, string>>,
];

async function answerTo([call, body = null, headers = {}]: Call) {
  const [method = '', path = ''] = call.split(' ');
  const sent = body === null ? null : JSON.stringify(body);
  return provider.call(path, { method, headers: { ...KEY, ...headers }, body: sent });
}

const QUERY: Call = ['GET /payouts/pi_1%3Apayout'];
const pay = (change: object = {}): Call => ['POST /payouts', order(change)];
const DENIED = { authorization: 'Bearer other' };

it.each<[string, number, readonly Call[]]>([
  ['a paid order', 200, [pay()]],
  ['a query of it', 200, [pay(), QUERY]],
  [
    'an order with a code that has an amount',
    200,
    [pay({ qr_payload: aThaiCode({ '54': '98.73' }) })],
  ],
  ['a declined order', 200, [pay({ amount_usd_cents: 40_001 })]],
  ['a pending order', 200, [pay({ amount_usd_cents: 40_004 })]],
  ['a misreported order', 200, [pay({ amount_usd_cents: 40_008 })]],
  ['a failure', 500, [pay({ amount_usd_cents: 40_003 })]],
  ['a refusal', 422, [pay({ amount_usd_cents: 40_013 })]],
  ['a refused quote id', 422, [pay({ quote_id: 'quote_1' })]],
  ['another local amount', 422, [pay({ local: { currency: 'THB', amount: 1 } })]],
  ['another order with the key', 409, [pay(), pay({ amount_usd_cents: 7 })]],
  ['an unreadable order', 400, [['POST /payouts', {}]]],
  ['an order without a credential', 401, [['POST /payouts', order(), DENIED]]],
  ['an order of over 16 kB', 413, [pay({ note: 'x'.repeat(16_384) })]],
  ['an unknown key', 404, [QUERY]],
  ['a query without a credential', 401, [['GET /payouts/pi_1', null, DENIED]]],
  ['a quote', 200, [['POST /quotes', quoteRequest()]]],
  ['a quote without a name', 200, [['POST /quotes', quoteRequest({ amount_usd_cents: 40_011 })]]],
  ['a quote of no code', 422, [['POST /quotes', quoteRequest({ qr_payload: 'hello' })]]],
  ['an unreadable request for a quote', 400, [['POST /quotes', {}]]],
  ['the balance', 200, [['GET /balance']]],
  ['the balance without a credential', 401, [['GET /balance', null, DENIED]]],
])('describes the answer to %s, which is %d', async (_what, status, calls) => {
  const answers = [];
  for (const call of calls) answers.push({ call, ...(await answerTo(call)) });
  expect(answers.at(-1)).toMatchObject({ status });
  expect(
    answers.map(({ call, ...answer }) => documentErrors(call[0], answer.status, answer.body)),
  ).toEqual(answers.map(() => null));
});

it('describes a returned payout', async () => {
  await answerTo(pay({ amount_usd_cents: 40_010 }));
  provider.time.advance(3_000);
  const { status, body } = await answerTo(QUERY);
  expect(body).toMatchObject({ status: 'returned' });
  expect(documentErrors(QUERY[0], status, body)).toBeNull();
});

describe('the document', () => {
  const PAID = { key: 'k', status: 'paid', amount_usd_cents: 1 };
  const LOCAL = { currency: 'THB', amount: 1 };

  it.each<[string, string, object]>([
    ['a paid payout without a local amount', 'Payout', PAID],
    ['a payout without a key', 'Payout', { ...PAID, local: LOCAL, key: undefined }],
    ['another status', 'Payout', { ...PAID, local: LOCAL, status: 'PAID' }],
    ['half a cent', 'Payout', { ...PAID, local: LOCAL, amount_usd_cents: 0.5 }],
    ['an unknown key with more members', 'UnknownKey', { error: 'not_found', key: 'k', a: 1 }],
    ['another code', 'Refusal', { error: 'no', key: 'k' }],
    ['a refusal without the key', 'Refusal', { error: 'other' }],
    ['a failure that says not_found', 'Failure', { error: 'not_found' }],
    ['an order in dollars', 'Order', order({ amount_usd_cents: 12.5 })],
    ['a balance as a number', 'Balance', { currency: 'USD', available: 1, environment: 'sandbox' }],
  ])('does not allow %s', (_what, schema, value) => {
    const sent: unknown = JSON.parse(JSON.stringify(value));
    expect(errorsOf(named(schema), sent)).toEqual(expect.any(String));
  });

  it('has the codes and the limits of the engine', () => {
    const { FailureCode, AmountUsdCents, QrPayload } = DOCUMENT.components.schemas;
    expect(FailureCode).toMatchObject({ enum: FAILURE_CODES });
    const [minimum, maximum] = [limits.AMOUNT_MIN_USD_CENTS, limits.AMOUNT_MAX_USD_CENTS];
    expect(AmountUsdCents).toMatchObject({ minimum, maximum });
    expect(QrPayload).toMatchObject({ maxLength: limits.QR_PAYLOAD_MAX_BYTES });
  });
});

describe('the page', () => {
  const examples = [...PAGE.matchAll(/^\{$[^]*?^\}$|^\{.+\}$|`(\{"[^`]*\})`/gm)].map(
    ([block, inline]) => JSON.parse((inline ?? block).replaceAll('…', '')) as object,
  );

  it.each([
    'Order',
    'Payout',
    'Refusal',
    'UnknownKey',
    'QuoteRequest',
    'Quote',
    'Balance',
    'Callback',
  ])('has an example of %s that the document allows', (schema) => {
    const allowed = examples.filter((example) => errorsOf(named(schema), example) === null);
    expect(allowed.length).toBeGreaterThan(0);
  });

  it('has only examples that the document allows, every code, and at most 160 lines', () => {
    const schemas = Object.keys(DOCUMENT.components.schemas);
    const isAllowed = (example: object) =>
      schemas.some((schema) => errorsOf(named(schema), example) === null);
    expect(examples.length).toBeGreaterThan(6);
    expect(examples.filter((example) => !isAllowed(example))).toEqual([]);
    expect(FAILURE_CODES.filter((code) => !PAGE.includes(`\`${code}\``))).toEqual([]);
    expect(PAGE.trimEnd().split('\n').length).toBeLessThanOrEqual(160);
  });
});
