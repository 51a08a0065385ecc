// Watches one payment with the means of a partner only: its status by signed GET, then its verified
// webhook in the sandbox partner's inbox.
import { setTimeout as pause } from 'node:timers/promises';
import { isSettled } from '../../domain/intents/transitions';
import { WEBHOOK_EVENT_TYPES_BY_DEFAULT } from '../../domain/webhooks/event';
import type { Client, Intent, IntentStatus } from '../../sdk';
import type { SandboxPartner } from '../demo/sandbox-file';
import { receivedWebhook, type ReceivedWebhook } from '../demo/sandbox-partner';
import { COMMANDS } from '../tools';

const READ_EVERY_MS = 250;
/** After so many reads, which is two minutes, it reads four times slower. */
const READS_QUICK = 480;
/** Longer than an intent waits for its payer. */
const READS_MAX = READS_QUICK + 2_400;
const SLOW_AUTHORIZED_READS = 80;
const INBOX_READS_MAX = 240;

/** A new status, the webhook, or a sentence about either. */
export type Happening = Intent | ReceivedWebhook | string;

interface Watched {
  readonly client: Client;
  readonly partner: SandboxPartner;
  readonly intentId: string;
  /** Aborted when the browser closes the page. */
  readonly signal: AbortSignal;
}

/**
 * Ends when the payment is settled and its webhook has arrived, or when the browser closes the
 * page.
 */
export async function* watchPayment(watched: Watched): AsyncGenerator<Happening> {
  const settled = yield* watchStatus(watched);
  if (settled === undefined) return;
  if (WEBHOOK_EVENT_TYPES_BY_DEFAULT.some((type) => type === `payment_intent.${settled}`)) {
    yield* watchInbox(watched);
    return;
  }
  yield `No webhook is sent when an intent is ${settled}, unless the partner subscribes to it.`;
}

/** @returns the terminal status; undefined after the last read, or when the page was closed */
async function* watchStatus(watched: Watched): AsyncGenerator<Happening, IntentStatus | undefined> {
  const { client, intentId, signal } = watched;
  let seen: IntentStatus | undefined;
  let authorizedReads = 0;
  for (let reads = 0; reads < READS_MAX && !signal.aborted; reads += 1) {
    const intent = await client.getIntent(intentId);
    if (intent.status !== seen) yield intent;
    seen = intent.status;
    if (isSettled(seen)) return seen;
    authorizedReads += seen === 'authorized' ? 1 : 0;
    if (authorizedReads === SLOW_AUTHORIZED_READS) yield stillAuthorized(intentId);
    await rest(reads < READS_QUICK ? READ_EVERY_MS : 4 * READ_EVERY_MS, signal);
  }
  yield 'This page has watched for long enough. Reload it to go on.';
  return undefined;
}

function stillAuthorized(intentId: string): string {
  return `Still authorized: the engine does not know yet whether the payee was paid, and does not guess. In production an operator reads such a payment. Here you are the operator: ${COMMANDS.payctl} intents show ${intentId}`;
}

async function* watchInbox({ partner, intentId, signal }: Watched): AsyncGenerator<Happening> {
  for (let reads = 0; reads < INBOX_READS_MAX && !signal.aborted; reads += 1) {
    const received = await receivedWebhook(partner, intentId);
    if (received !== undefined) {
      yield received;
      return;
    }
    await rest(READ_EVERY_MS, signal);
  }
  yield 'No webhook arrived within a minute. The engine retries it for three days: reload this page to check again.';
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the pause; the loops check the signal themselves.
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
