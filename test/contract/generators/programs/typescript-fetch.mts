// The client of openapi-generator, `typescript-fetch`, which renames members and parses dates.
import { randomBytes } from 'node:crypto';
import {
  Configuration,
  PaymentIntentEventFromJSON,
  PaymentIntentsApi,
  WebhookHeadersFromJSON,
} from './client/index.ts';
import { signedFetch } from './signed-fetch.mts';

const { BASE_URL = '', WEBHOOK_BODY = '', WEBHOOK_HEADERS = '' } = process.env;

const api = new PaymentIntentsApi(new Configuration({ basePath: BASE_URL, fetchApi: signedFetch }));
const intent = await api.createPaymentIntent({
  idempotencyKey: `order-${randomBytes(8).toString('hex')}`,
  createIntentRequest: { partnerUserId: 'user-4711', amountUsdCents: 1250, corridor: 'th_qrpay' },
});
console.log(intent.intentId, intent.status, intent.amountUsdCents, intent.corridor);

const event = PaymentIntentEventFromJSON(JSON.parse(WEBHOOK_BODY));
const headers = WebhookHeadersFromJSON(JSON.parse(WEBHOOK_HEADERS));
console.log(headers.webhookId, event.type, event.data.status);
