// A table of all readers of a payment status, with their answer for an intent that a commit under
// way may still authorize (decision 15).
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { findIntents } from '../../src/ops/intents/list';
import { findIntentStory } from '../../src/ops/intents/story';
import { storyLines } from '../../src/ops/intents/story-lines';
import { aCreateCommand, anIntentId } from '../support/builders';
import { mintToken } from '../support/payments/partner';
import { said } from './live/payer';
import type { StallableWorld } from './stalled-commits';

export interface StatusReader {
  readonly name: string;
  /** The answer while it is unknown whether the payment was confirmed in time. */
  readonly undecided: string;
  readonly read: (world: StallableWorld, intent: PaymentIntent) => Promise<string>;
}

const PATH = '/v1/payment_intents/:id';

/** Readers whose commits do not wait for a standby. */
export const READERS: readonly StatusReader[] = [
  { name: 'GET by a session token', undecided: '200 created', read: byToken('GET', PATH) },
  { name: 'a signed GET', undecided: '200 created', read: signed('GET', PATH) },
  {
    ...{ name: 'the session of the checkout', undecided: '200 created' },
    read: byToken('GET', '/flow/:id/session'),
  },
  {
    ...{ name: 'the status page of the checkout', undecided: '401' },
    read: byToken('GET', '/flow/:id/status'),
  },
  { name: 'a confirm', undecided: '503', read: byToken('POST', `${PATH}/confirm`) },
  {
    ...{ name: 'payctl intents list', undecided: 'created' },
    async read({ bed }, intent) {
      const intents = await findIntents(bed.database, { limit: 100 });
      return intents.find(({ intent_id }) => intent_id === intent.intentId)?.status ?? 'not listed';
    },
  },
  {
    ...{ name: 'payctl intents show', undecided: 'created' },
    /** No printed line may say expired either. */
    async read({ bed }, { intentId }) {
      const story = await findIntentStory(bed.database, intentId);
      return storyLines(story).some((line) => line.includes('expired')) ? 'expired' : story.status;
    },
  },
];

/** Readers that wait for a standby, because they record a nonce that must not get lost. */
export const WAITING_READERS: readonly StatusReader[] = [
  { name: 'a cancel', undecided: '503', read: signed('POST', `${PATH}/cancel`) },
  {
    ...{ name: 'a replayed create', undecided: 'replayed created' },
    async read({ bed, partner }, { intentId }) {
      const command = aCreateCommand(partner, { idempotency: repeatOf(intentId) });
      const result = await bed.intents.create(command);
      return 'intent' in result ? `${result.outcome} ${result.intent.status}` : result.outcome;
    },
  },
];

function byToken(method: string, path: string): StatusReader['read'] {
  return async ({ app, partner }, intent) => {
    const headers = { Authorization: `Bearer ${mintToken(partner, intent)}` };
    return said(await app.send({ method, path: path.replace(':id', intent.intentId), headers }));
  };
}

function signed(method: string, path: string): StatusReader['read'] {
  return async ({ app, partner }, { intentId }) =>
    said(await app.sendSigned(partner, { method, path: path.replace(':id', intentId) }));
}

/** Options of an intent whose create can be repeated. */
export function repeatable() {
  const intentId = anIntentId();
  return { intentId, idempotency: repeatOf(intentId) };
}

function repeatOf(key: string) {
  return { key, bodyDigest: new Uint8Array(32) };
}
