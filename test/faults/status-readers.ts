// Everything that states the status of a payment to somebody, as one table: what it says of an intent that a commit under way may
// still authorize (decision 15).
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { findIntents } from '../../src/ops/intents/list-rows';
import { findIntentStory } from '../../src/ops/intents/story';
import { storyLines } from '../../src/ops/intents/story-lines';
import { aCreateCommand, anIntentId } from '../support/builders';
import { mintToken } from '../support/payments/partner';
import { said } from './live/payer';
import type { StallableWorld } from './stalled-commits';

export interface StatusReader {
  readonly name: string;
  /** What it says while nobody knows whether the payment was confirmed in time. */
  readonly undecided: string;
  readonly ask: (world: StallableWorld, intent: PaymentIntent) => Promise<string>;
}

const PATH = '/v1/payment_intents/:id';

/** Nothing that they commit waits for a standby. */
export const READERS: readonly StatusReader[] = [
  { name: 'GET by a session token', undecided: '200 created', ask: byToken('GET', PATH) },
  { name: 'a signed GET', undecided: '200 created', ask: signed('GET', PATH) },
  {
    ...{ name: 'the session of the checkout', undecided: '200 created' },
    ask: byToken('GET', '/flow/:id/session'),
  },
  {
    ...{ name: 'the status page of the checkout', undecided: '401' },
    ask: byToken('GET', '/flow/:id/status'),
  },
  { name: 'a confirm', undecided: '503', ask: byToken('POST', `${PATH}/confirm`) },
  {
    ...{ name: 'payctl intents list', undecided: 'created' },
    async ask({ bed }, intent) {
      const intents = await findIntents(bed.database, { limit: 100 });
      return intents.find(({ intent_id }) => intent_id === intent.intentId)?.status ?? 'not listed';
    },
  },
  {
    ...{ name: 'payctl intents show', undecided: 'created' },
    /** No line for people may say it either. */
    async ask({ bed }, { intentId }) {
      const story = await findIntentStory(bed.database, intentId);
      return storyLines(story).some((line) => line.includes('expired')) ? 'expired' : story.status;
    },
  },
];

/** They record a nonce that no standby may lose, so they wait for one. */
export const WAITING_READERS: readonly StatusReader[] = [
  { name: 'a cancel', undecided: '503', ask: signed('POST', `${PATH}/cancel`) },
  {
    ...{ name: 'a replayed create', undecided: 'replayed created' },
    async ask({ bed, partner }, { intentId }) {
      const command = aCreateCommand(partner, { idempotency: repeatOf(intentId) });
      const result = await bed.intents.create(command);
      return 'intent' in result ? `${result.outcome} ${result.intent.status}` : result.outcome;
    },
  },
];

function byToken(method: string, path: string): StatusReader['ask'] {
  return async ({ app, partner }, intent) => {
    const headers = { Authorization: `Bearer ${mintToken(partner, intent)}` };
    return said(await app.send({ method, path: path.replace(':id', intent.intentId), headers }));
  };
}

function signed(method: string, path: string): StatusReader['ask'] {
  return async ({ app, partner }, { intentId }) =>
    said(await app.sendSigned(partner, { method, path: path.replace(':id', intentId) }));
}

/** An intent whose create can be repeated. */
export function repeatable() {
  const intentId = anIntentId();
  return { intentId, idempotency: repeatOf(intentId) };
}

function repeatOf(key: string) {
  return { key, bodyDigest: new Uint8Array(32) };
}
