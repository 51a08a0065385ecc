// Everything that states the status of a payment to somebody, as one table: what it says of an intent that a commit under way may
// still authorize (decision 15).
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { findIntents } from '../../src/ops/intent-list';
import { findIntentStory } from '../../src/ops/intent-story';
import { storyLines } from '../../src/ops/intent-story-lines';
import type { Reply } from '../support/app';
import { aCreateCommand, anIntentId } from '../support/builders';
import { mintToken } from '../support/partner';
import type { StallableWorld } from './stalled-commits';

type Ask = (world: StallableWorld, intent: PaymentIntent) => Promise<string>;

interface StatusReader {
  readonly name: string;
  /** What it says while nobody knows whether the payment was confirmed in time. */
  readonly undecided: string;
  readonly ask: Ask;
}

/** Nothing that they commit waits for a standby. */
export const READERS: readonly StatusReader[] = [
  { name: 'GET by a session token', undecided: '200 created', ask: getByToken },
  { name: 'a signed GET', undecided: '200 created', ask: getSigned },
  { name: 'the session of the checkout', undecided: '200 created', ask: getSession },
  { name: 'the status page of the checkout', undecided: '401', ask: getStatusPage },
  { name: 'a confirm', undecided: '503', ask: confirm },
  { name: 'payctl intents list', undecided: 'created', ask: listed },
  { name: 'payctl intents show', undecided: 'created', ask: shown },
];

/** They record a nonce that no standby may lose, so they wait for one. */
export const WAITING_READERS: readonly StatusReader[] = [
  { name: 'a cancel', undecided: '503', ask: cancel },
  { name: 'a replayed create', undecided: 'replayed created', ask: createAgain },
];

const path = ({ intentId }: PaymentIntent) => `/v1/payment_intents/${intentId}`;

function said({ status, text }: Reply): string {
  const told = (JSON.parse(text) as { readonly status?: string }).status;
  return told === undefined ? String(status) : `${String(status)} ${told}`;
}

function bearer({ partner }: StallableWorld, intent: PaymentIntent) {
  return { Authorization: `Bearer ${mintToken(partner, intent)}` };
}

async function getByToken(world: StallableWorld, intent: PaymentIntent): Promise<string> {
  return said(await world.app.send({ path: path(intent), headers: bearer(world, intent) }));
}

async function getSigned({ app, partner }: StallableWorld, intent: PaymentIntent): Promise<string> {
  return said(await app.sendSigned(partner, { path: path(intent) }));
}

async function getSession(world: StallableWorld, intent: PaymentIntent): Promise<string> {
  const asked = { path: `/flow/${intent.intentId}/session`, headers: bearer(world, intent) };
  return said(await world.app.send(asked));
}

async function getStatusPage(world: StallableWorld, intent: PaymentIntent): Promise<string> {
  const asked = { path: `/flow/${intent.intentId}/status`, headers: bearer(world, intent) };
  return said(await world.app.send(asked));
}

async function confirm(world: StallableWorld, intent: PaymentIntent): Promise<string> {
  const asked = { method: 'POST', path: `${path(intent)}/confirm`, headers: bearer(world, intent) };
  return said(await world.app.send(asked));
}

async function cancel({ app, partner }: StallableWorld, intent: PaymentIntent): Promise<string> {
  return said(await app.sendSigned(partner, { method: 'POST', path: `${path(intent)}/cancel` }));
}

async function listed({ bed }: StallableWorld, intent: PaymentIntent): Promise<string> {
  const intents = await findIntents(bed.database, { limit: 100 });
  return intents.find(({ intent_id }) => intent_id === intent.intentId)?.status ?? 'not listed';
}

/** No line for people may say it either. */
async function shown({ bed }: StallableWorld, { intentId }: PaymentIntent): Promise<string> {
  const story = await findIntentStory(bed.database, intentId);
  return storyLines(story).some((line) => line.includes('expired')) ? 'expired' : story.status;
}

/** An intent that {@link createAgain} can repeat. */
export function repeatable(): {
  readonly intentId: PaymentIntent['intentId'];
  readonly idempotency: Repeat;
} {
  const intentId = anIntentId();
  return { intentId, idempotency: repeatOf(intentId) };
}

interface Repeat {
  readonly key: string;
  readonly bodyDigest: Uint8Array;
}

function repeatOf(key: string): Repeat {
  return { key, bodyDigest: new Uint8Array(32) };
}

async function createAgain(
  { bed, partner }: StallableWorld,
  { intentId }: PaymentIntent,
): Promise<string> {
  const command = aCreateCommand(partner, { idempotency: repeatOf(intentId) });
  const result = await bed.intents.create(command);
  return 'intent' in result ? `${result.outcome} ${result.intent.status}` : result.outcome;
}
