// The types of openapi-typescript, with openapi-fetch as their client.
import { randomBytes } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { components, paths } from './client.ts';
import { signedFetch } from './signed-fetch.mts';

type Schemas = components['schemas'];

const { BASE_URL = '', WEBHOOK_BODY = '', WEBHOOK_HEADERS = '' } = process.env;

const client = createClient<paths>({ baseUrl: BASE_URL, fetch: signedFetch });
const { data: intent, error } = await client.POST('/v1/payment_intents', {
  params: { header: { 'Idempotency-Key': `order-${randomBytes(8).toString('hex')}` } },
  body: { partner_user_id: 'user-4711', amount_usd_cents: 1250, corridor: 'th_qrpay' },
});
if (intent === undefined) throw new Error(error.message);
console.log(intent.intent_id, intent.status, intent.amount_usd_cents, intent.corridor);

const event = JSON.parse(WEBHOOK_BODY) as Schemas['PaymentIntentEvent'];
const headers = JSON.parse(WEBHOOK_HEADERS) as Schemas['WebhookHeaders'];
console.log(headers['webhook-id'], event.type, event.data.status);
