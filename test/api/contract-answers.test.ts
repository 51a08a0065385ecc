// The other half of holding answers to the contract: what it documents is served. The same operations, each with a real answer
// of every status that it has in the document, and webhooks of every type.
import { createRoutes } from '../../api/routes';
import { DomainError } from '../../src/domain/errors';
import { INTENT_STATUSES, type PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { PartnerDirectory } from '../../src/ports/partner-directory';
import { withApi } from '../support/brackets';
import { apiDependencies, pathOf, startApp, type TestApp } from '../support/app';
import { anIntent, anIntentId } from '../support/builders';
import { holdWebhookToContract } from '../support/contract/contract';
import { CONTRACT, OPERATIONS } from '../support/contract/contract-document';
import { mintToken, type TestPartner } from '../support/payments/partner';
import { aVietnameseCode } from '../support/payments/qr-codes';

const GOOD = JSON.stringify(CONTRACT.components.examples['CreateThai']?.value);
const TOO_LARGE = ' '.repeat(65_537);

const { bed, app, partner, other } = withApi();
let intent: PaymentIntent;
beforeEach(async () => {
  intent = await anIntent(bed, partner);
});

it('the API serves the operations of the contract, and besides them what is not the partners’', () => {
  const nothing = { begun: [], payouts: [], rejections: [], keySetUses: [], lines: [] };
  const simulation = { state: { mode: 'settle' as const }, records: nothing };
  const { stack } = createRoutes(apiDependencies(bed, {}, simulation));
  const served = stack.flatMap(({ methods, path }) =>
    // The router answers HEAD wherever there is GET.
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
  const ofPartners = served.filter((route) => / \/v1(\/|$)/.test(route));
  const documented = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  expect(ofPartners.map((route) => route.replaceAll(/:(\w+)/g, '{$1}')).sort()).toEqual(
    documented.sort(),
  );
  const others = served.filter((route) => !ofPartners.includes(route));
  expect(others.filter((route) => !/ \/(healthz|readyz|flow)\b/.test(route))).toEqual([]);
});

/** Asks an operation, signed by somebody, about an intent. */
type Ask = (on: TestApp, what?: Wish) => Promise<number>;

interface Wish {
  readonly by?: TestPartner;
  readonly id?: string;
  readonly body?: string;
}

const create: Ask = async (on, { by = partner, body = GOOD } = {}) =>
  (await on.create(by, body)).status;

const signed =
  (method: string, action?: 'cancel'): Ask =>
  async (on, { by = partner, id = intent.intentId, body } = {}) => {
    const sent = { method, path: pathOf({ intentId: id }, action) };
    return (await on.sendSigned(by, { ...sent, ...(body !== undefined && { body }) })).status;
  };
const get = signed('GET');
const cancel = signed('POST', 'cancel');

const confirm: Ask = async (on, { by = partner, id = intent.intentId, body } = {}) => {
  const token = mintToken(by, intent, { 'service:intent_id': id });
  return (await on.confirm({ intentId: id }, token, body)).status;
};

/** The API whose first look at its partners fails like that. */
async function whereLooksFail(error: Error, ask: Ask): Promise<number> {
  const fail = () => Promise.reject(error);
  const partners: PartnerDirectory = { readVersion: fail, read: fail };
  const failing = await startApp(bed, { partners });
  const status = await ask(failing);
  await failing.close();
  return status;
}

const failing = (ask: Ask) => whereLooksFail(new Error('a bug'), ask);
const away = (ask: Ask) => whereLooksFail(new DomainError('unavailable'), ask);

const settled = async (status: 'captured' | 'expired', ask: Ask) => {
  intent = await anIntent(bed, partner, { status });
  return ask(app);
};

const belowMinimum = async () => {
  const minimumUsdCents = { th_qrpay: 2_000, vn_qrpay: 1 };
  const strict = await startApp(bed, { settings: { minimumUsdCents } });
  const status = await create(strict);
  await strict.close();
  return status;
};

const stranger = () => ({ ...partner, signing_secret: 'guessed' });

/** By operation and status, how it comes about. */
const WAYS: Readonly<Record<string, Readonly<Record<string, () => Promise<number>>>>> = {
  createPaymentIntent: {
    201: () => create(app),
    400: () => create(app, { body: '{}' }),
    401: () => create(app, { by: stranger() }),
    422: belowMinimum,
    500: () => failing(create),
    503: () => away(create),
  },
  getPaymentIntent: {
    200: () => get(app),
    400: () => get(app, { body: TOO_LARGE }),
    401: () => get(app, { by: stranger() }),
    403: () => get(app, { by: other }),
    404: () => get(app, { id: anIntentId() }),
    500: () => failing(get),
    503: () => away(get),
  },
  confirmPaymentIntent: {
    200: () => confirm(app),
    400: () => confirm(app, { body: aVietnameseCode() }),
    401: () => confirm(app, { by: other }),
    404: () => confirm(app, { id: anIntentId() }),
    409: () => settled('captured', confirm),
    500: () => failing(confirm),
    503: () => away(confirm),
  },
  cancelPaymentIntent: {
    200: () => cancel(app),
    400: () => cancel(app, { body: TOO_LARGE }),
    401: () => cancel(app, { by: stranger() }),
    403: () => cancel(app, { by: other }),
    404: () => cancel(app, { id: anIntentId() }),
    409: () => settled('expired', cancel),
    500: () => failing(cancel),
    503: () => away(cancel),
  },
};

/** The contract lists it for create, where nothing of another partner's can be named: it is documented and never comes. */
const NEVER = 'createPaymentIntent 403';

const documented = OPERATIONS.flatMap(({ operationId, responses }) =>
  Object.keys(responses).map((status) => [operationId, status] as const),
);

it.each(documented.filter((one) => one.join(' ') !== NEVER))('%s: %s', async (id, status) => {
  const way = WAYS[id]?.[status];
  expect(await way?.()).toBe(Number(status));
});

describe('what a webhook says of an intent', () => {
  const HEADERS = {
    'webhook-id': 'evt_00000000000000000000000000',
    'webhook-timestamp': '1736937003',
    'webhook-signature': String(CONTRACT.components.parameters['WebhookSignature']?.example),
  };
  const bodyFor = async (status: PaymentIntent['status']) => {
    const { intentId } = await anIntent(bed, partner, { status });
    const { rows } = await bed.database.query<{ readonly body: string }>({
      text: `select webhook_body(i, service_now()) as body from payment_intents i where intent_id = $1`,
      values: [intentId],
    });
    return rows[0]?.body ?? '';
  };
  const toldOf = INTENT_STATUSES.filter(
    (status) => `payment_intent.${status}` in CONTRACT.webhooks,
  );

  it.each(toldOf)('that is %s is in the contract', async (status) => {
    const body = await bodyFor(status);
    expect(body).toContain(`"payment_intent.${status}"`);
    expect(() => {
      holdWebhookToContract({ headers: HEADERS, body });
    }).not.toThrow();
  });
});
