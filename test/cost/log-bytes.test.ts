// A request logs one short line. At a thousand requests a second, every hundred bytes are 8 GB a
// day.
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { createLogger, createRequestLog } from '../../src/observe/logger';
import { withApp, withDatabase, withPartner } from '../support/brackets';
import { createMemoryKeySets, type Outgoing } from '../support/app';
import { anIntent } from '../support/builders';
import { mintToken, sign } from '../support/payments/partner';

const CREATE = { method: 'POST', path: '/v1/payment_intents' };
const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';
const JSON_HEADER = { 'Content-Type': 'application/json' };
const LINE_BYTES_MAX = 400;

const lines: string[] = [];
const output = { write: (line: string) => lines.push(line) };
const bed = withDatabase();
const partner = withPartner(bed);
const app = withApp(bed, () => ({
  keySets: createMemoryKeySets([partner]),
  log: createLogger('api', 'info', output),
  requestLog: createRequestLog('api', 'info', output),
}));
let intent: PaymentIntent;
let path: string;
beforeEach(async () => {
  intent = await anIntent(bed, partner);
  path = `${CREATE.path}/${intent.intentId}`;
  lines.length = 0;
});

const byToken = (token: string) => ({ Authorization: `Bearer ${token}` });
const signed = (target: { readonly method: string; readonly path: string }, body = '') => ({
  ...target,
  headers: { ...JSON_HEADER, ...sign(partner, { ...target, body }) },
  body,
});

const REQUESTS: Readonly<Record<string, () => Outgoing>> = {
  'a create': () => signed(CREATE, BODY),
  'a signed GET': () => signed({ method: 'GET', path }),
  'a GET by token': () => ({ path, headers: byToken(mintToken(partner, intent)) }),
  'a confirm': () => ({
    method: 'POST',
    path: `${path}/confirm`,
    headers: byToken(mintToken(partner, intent)),
  }),
  'a cancel': () => signed({ method: 'POST', path: `${path}/cancel` }),
  'a rejected signature': () => ({ ...signed(CREATE, BODY), body: `${BODY} ` }),
  'a rejected token': () => ({
    path,
    headers: byToken(mintToken(partner, intent, { aud: 'other' })),
  }),
};

describe('the log', () => {
  it.each(Object.entries(REQUESTS))(
    'takes one line of at most 400 bytes for %s',
    async (_, make) => {
      await app.send(make());
      expect(lines).toHaveLength(1);
      expect(Buffer.byteLength(lines[0] ?? '')).toBeLessThanOrEqual(LINE_BYTES_MAX);
    },
  );
});
