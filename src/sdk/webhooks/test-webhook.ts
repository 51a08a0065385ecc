// Makes webhooks for a partner's own tests, byte for byte as the service sends them (protocol 7).
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../domain/webhooks/event';
import { webhookHeaders } from '../../signing/webhook-signature';
import { makeNonce, systemNow, type Now } from '../clock';
import type { Intent } from '../intent';
import type { Payout } from './payout';
import { requireList } from './read-webhook';

const STALE_MS = 3_600_000;
const CREATED_BEFORE_MS = 2_000;

export interface TestWebhookInput {
  /** Those that your receiver verifies with. Two sign as during a rotation. */
  readonly secrets: readonly string[];
  /** Decides the intent's status too. Default: `payment_intent.captured`. */
  readonly type?: WebhookEventType;
  /** Default: a new id. Give one twice to test that you act once per event. */
  readonly id?: string;
  /** An intent, or those of its members that your receiver looks at. */
  readonly intent?: Partial<Omit<Intent, 'status' | 'capturedAt'>>;
  /** Default: nothing was known of the payout. */
  readonly payout?: Partial<Payout>;
  /**
   * `tampered`: the amount was changed after signing. `stale`: sent an hour ago, such as a recorded
   * request. Your receiver must answer 400 to both.
   */
  readonly fault?: 'tampered' | 'stale';
  readonly now?: Now;
}

export interface TestWebhook {
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The raw body: send exactly this text. */
  readonly body: string;
}

/**
 * Makes a signed webhook that you send to your own receiver in a test. It sends nothing.
 *
 * @throws Error when a secret is not of the form `whsec_…`
 * @throws TypeError when `secrets` is empty or not a list
 * @throws RangeError when `type` is not one that the service sends
 * @example
 * ```ts
 * const { headers, body } = generateTestWebhook({ secrets: [secret], intent });
 * const response = await fetch(receiverUrl, { method: 'POST', headers, body });
 * assert.equal(response.status, 204);
 * ```
 */
export function generateTestWebhook(input: TestWebhookInput): TestWebhook {
  const { secrets, type = 'payment_intent.captured', fault, now = systemNow } = input;
  requireList(secrets);
  if (!WEBHOOK_EVENT_TYPES.includes(type)) {
    throw new RangeError(`type is not one of ${WEBHOOK_EVENT_TYPES.join(', ')}`);
  }
  const sentAt = new Date(now().getTime() - (fault === 'stale' ? STALE_MS : 0));
  const { id = `evt_${randomPart()}`, intent = {}, payout } = input;
  const event = { type, at: sentAt, intent: { intentId: `pi_${randomPart()}`, ...intent }, payout };
  const signed = bodyOf(event);
  const headers = webhookHeaders({ id, sentAt, body: signed }, secrets);
  return { headers, body: fault === 'tampered' ? bodyOf(event, 1) : signed };
}

interface TestEvent {
  readonly type: WebhookEventType;
  readonly at: Date;
  readonly intent: NonNullable<TestWebhookInput['intent']>;
  readonly payout: Partial<Payout> | undefined;
}

/** The same members in the same order as webhook_body() in migration 0004. */
function bodyOf({ type, at, intent, payout }: TestEvent, moreCents = 0): string {
  const { amountUsdCents = 1250, corridor = 'th_qrpay' } = intent;
  const { createdAt = new Date(at.getTime() - CREATED_BEFORE_MS) } = intent;
  const status = type.replace('payment_intent.', '');
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: {
      intent_id: intent.intentId,
      status,
      amount_usd_cents: amountUsdCents + moreCents,
      corridor,
      created_at: createdAt.toISOString(),
      captured_at: status === 'captured' ? at.toISOString() : undefined,
    },
    payout: { reference: null, local: null, code: null, ...payout },
  });
}

/** As long as in ids of the service, and of some of their characters. */
function randomPart(): string {
  return makeNonce().slice(0, 26);
}
