// The service really gives every answer that the contract documents: each operation with each
// status, and webhooks of every type.
import { byCorridor } from '../../src/corridors/names';
import { createRoutes } from '../../api/routes';
import { DomainError } from '../../src/domain/errors';
import { INTENT_STATUSES, type PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { PartnerDirectory } from '../../src/ports/partners';
import { withApi } from '../support/brackets';
import { apiDependencies, pathOf, startApp, type TestApp } from '../support/app';
import { anIntent, anIntentId } from '../support/builders';
import { assertWebhookContract } from '../support/contract/contract';
import { CONTRACT, OPERATIONS } from '../support/contract/contract-document';
import { mintToken, setLimits, type TestPartner } from '../support/payments/partner';
import { aVietnameseCode } from '../support/payments/qr-codes';

const GOOD = JSON.stringify(CONTRACT.components.examples['CreateThai']?.value);
const TOO_LARGE = ' '.repeat(65_537);

const { bed, app, partner, other } = withApi();
let intent: PaymentIntent;
beforeEach(async () => {
  intent = await anIntent(bed, partner);
});

it('the API serves the operations of the contract, and otherwise only health and checkout', () => {
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

/** Calls an operation of an app. @returns the status */
type Call = (on: TestApp, options?: CallOptions) => Promise<number>;

interface CallOptions {
  readonly by?: TestPartner;
  readonly id?: string;
  readonly body?: string;
}

const create: Call = async (on, { by = partner, body = GOOD } = {}) =>
  (await on.create(by, body)).status;

const signed =
  (method: string, action?: 'cancel'): Call =>
  async (on, { by = partner, id = intent.intentId, body } = {}) => {
    const sent = { method, path: pathOf({ intentId: id }, action) };
    return (await on.sendSigned(by, { ...sent, ...(body !== undefined && { body }) })).status;
  };
const get = signed('GET');
const cancel = signed('POST', 'cancel');

const confirm: Call = async (on, { by = partner, id = intent.intentId, body } = {}) => {
  const token = mintToken(by, intent, { 'service:intent_id': id });
  return (await on.confirm({ intentId: id }, token, body)).status;
};

/** Calls an API whose read of the partner directory fails with this error. */
async function withFailingDirectory(error: Error, call: Call): Promise<number> {
  const fail = () => Promise.reject(error);
  const partners: PartnerDirectory = { readVersion: fail, read: fail };
  const failing = await startApp(bed, { partners });
  const status = await call(failing);
  await failing.close();
  return status;
}

const withBug = (call: Call) => withFailingDirectory(new Error('a bug'), call);
const withoutPostgres = (call: Call) => withFailingDirectory(new DomainError('unavailable'), call);

const settled = async (status: 'captured' | 'expired', call: Call) => {
  intent = await anIntent(bed, partner, { status });
  return call(app);
};

const belowMinimum = async () => {
  const minimumUsdCents = byCorridor((corridor) => (corridor === 'th_qrpay' ? 2_000 : 1));
  const strict = await startApp(bed, { settings: { minimumUsdCents } });
  const status = await create(strict);
  await strict.close();
  return status;
};

/** Calls with a limit of one that the first call notices. @returns the last status */
const limited = async (limit: 'intentsPerSecond' | 'usdCentsPerDay', call: Call) => {
  await setLimits(bed, partner, { [limit]: 1 });
  await call(app);
  await call(app);
  const status = await call(app);
  await setLimits(bed, partner, { [limit]: null });
  return status;
};

const forger = () => ({ ...partner, signing_secret: 'guessed' });

/** How to get each status from each operation. */
const WAYS: Readonly<Record<string, Readonly<Record<string, () => Promise<number>>>>> = {
  createPaymentIntent: {
    201: () => create(app),
    400: () => create(app, { body: '{}' }),
    401: () => create(app, { by: forger() }),
    422: belowMinimum,
    429: () => limited('intentsPerSecond', create),
    500: () => withBug(create),
    503: () => withoutPostgres(create),
  },
  getPaymentIntent: {
    200: () => get(app),
    400: () => get(app, { body: TOO_LARGE }),
    401: () => get(app, { by: forger() }),
    403: () => get(app, { by: other }),
    404: () => get(app, { id: anIntentId() }),
    500: () => withBug(get),
    503: () => withoutPostgres(get),
  },
  confirmPaymentIntent: {
    200: () => confirm(app),
    400: () => confirm(app, { body: aVietnameseCode() }),
    401: () => confirm(app, { by: other }),
    404: () => confirm(app, { id: anIntentId() }),
    409: () => settled('captured', confirm),
    429: () => limited('usdCentsPerDay', confirm),
    500: () => withBug(confirm),
    503: () => withoutPostgres(confirm),
  },
  cancelPaymentIntent: {
    200: () => cancel(app),
    400: () => cancel(app, { body: TOO_LARGE }),
    401: () => cancel(app, { by: forger() }),
    403: () => cancel(app, { by: other }),
    404: () => cancel(app, { id: anIntentId() }),
    409: () => settled('expired', cancel),
    500: () => withBug(cancel),
    503: () => withoutPostgres(cancel),
  },
};

/** The contract lists a 403 for create, but a create cannot name a resource of another partner. */
const NEVER = 'createPaymentIntent 403';

const documented = OPERATIONS.flatMap(({ operationId, responses }) =>
  Object.keys(responses).map((status) => [operationId, status] as const),
);

it.each(documented.filter((one) => one.join(' ') !== NEVER))('%s: %s', async (id, status) => {
  const way = WAYS[id]?.[status];
  expect(await way?.()).toBe(Number(status));
});

describe('a webhook about an intent', () => {
  const HEADERS = {
    'webhook-id': 'evt_00000000000000000000000000',
    'webhook-timestamp': '1736937003',
    'webhook-signature': String(CONTRACT.components.parameters['WebhookSignature']?.example),
  };
  const PAYOUTS = [
    null,
    { reference: 'SB-1', local_currency: 'THB', local_minor: 1, failure_code: 'other' },
    { ordered_currency: 'VND', ordered_minor: 10_000_000_000 },
  ];
  const bodyFor = async (status: PaymentIntent['status'], payout: object | null) => {
    const { intentId } = await anIntent(bed, partner, { status });
    const { rows } = await bed.database.query<{ readonly body: string }>({
      text: `select webhook_body(i, json_populate_record(null::payouts, $2), service_now()) as body
               from payment_intents i where intent_id = $1`,
      values: [intentId, payout],
    });
    return rows[0]?.body ?? '';
  };
  const withEvent = INTENT_STATUSES.filter(
    (status) => `payment_intent.${status}` in CONTRACT.webhooks,
  );

  it.each(withEvent)('that is %s matches the contract', async (status) => {
    for (const payout of PAYOUTS) {
      const body = await bodyFor(status, payout);
      expect(body).toContain(`"payment_intent.${status}"`);
      expect(() => {
        assertWebhookContract({ headers: HEADERS, body });
      }).not.toThrow();
    }
  });
});
