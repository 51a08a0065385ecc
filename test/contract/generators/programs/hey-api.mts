// The client of @hey-api/openapi-ts, whose functions return the answer or the error.
import { randomBytes } from 'node:crypto';
import { client } from './client/client.gen.ts';
import { createPaymentIntent } from './client/sdk.gen.ts';
import type { PaymentIntentEvent, WebhookHeaders } from './client/types.gen.ts';
import { signedFetch } from './signed-fetch.mts';

const { BASE_URL = '', WEBHOOK_BODY = '', WEBHOOK_HEADERS = '' } = process.env;

client.setConfig({ baseUrl: BASE_URL, fetch: signedFetch });
const { data: intent, error } = await createPaymentIntent({
  headers: { 'Idempotency-Key': `order-${randomBytes(8).toString('hex')}` },
  body: { partner_user_id: 'user-4711', amount_usd_cents: 1250, corridor: 'th_qrpay' },
});
if (intent === undefined) throw new Error(JSON.stringify(error));
console.log(intent.intent_id, intent.status, intent.amount_usd_cents, intent.corridor);

const event = JSON.parse(WEBHOOK_BODY) as PaymentIntentEvent;
const headers = JSON.parse(WEBHOOK_HEADERS) as WebhookHeaders;
console.log(headers['webhook-id'], event.type, event.data.status);
