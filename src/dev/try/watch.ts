// What happens to one payment, as a partner can see it: its status by signed GET, then its webhook in the sandbox partner's
// inbox, verified. Nothing is seen that a partner would not see.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isSettled } from '../../domain/intent-transitions';
import { WEBHOOK_EVENT_TYPES_BY_DEFAULT } from '../../domain/webhook-event';
import {
  ApiError,
  ConnectionError,
  verifyWebhook,
  type Client,
  type Intent,
  type IntentStatus,
  type WebhookEvent,
} from '../../sdk';
import type { SandboxPartner } from '../sandbox-file';

const LOOK_EVERY_MS = 250;
/** After this often, which is two minutes, four times slower. */
const LOOKS_QUICK = 480;
/** Longer than an intent waits for its payer. */
const LOOKS_MAX = LOOKS_QUICK + 2_400;
const SLOW_AUTHORIZED_LOOKS = 80;

const INBOX_EVERY_MS = 500;
const INBOX_LOOKS_MAX = 120;
const INBOX_TIMEOUT_MS = 5_000;
const INBOX_MAX_BYTES = 32 * 1_024 * 1_024;

const inboxSchema = z.array(
  z.object({
    received_at: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
);

export type Received = z.infer<typeof inboxSchema>[number];

export type Happening =
  | { readonly kind: 'status'; readonly intent: Intent; readonly at: Date }
  | { readonly kind: 'webhook'; readonly event: WebhookEvent; readonly received: Received }
  | { readonly kind: 'sentence'; readonly text: string };

export interface Watched {
  readonly client: Client;
  readonly partner: SandboxPartner;
  readonly intentId: string;
  /** Aborted when nobody looks any more. */
  readonly signal: AbortSignal;
}

/** Ends when the payment is over and its webhook is there, or when nobody looks any more. */
export async function* watchPayment(watched: Watched): AsyncGenerator<Happening> {
  const settled = yield* watchStatus(watched);
  if (settled === undefined) return;
  if (!isTold(settled)) {
    yield sentence(
      `No webhook is sent when an intent is ${settled}, unless a partner asks for it.`,
    );
    return;
  }
  yield* watchInbox(watched);
}

/** @returns the status that it ended with; undefined when it was watched for long enough */
async function* watchStatus(watched: Watched): AsyncGenerator<Happening, IntentStatus | undefined> {
  let seen: Intent | undefined;
  let authorizedLooks = 0;
  for await (const intent of looks(watched)) {
    if (intent === 'away') {
      yield sentence('The API does not answer. Asking again …');
      continue;
    }
    if (intent.status !== seen?.status) yield { kind: 'status', intent, at: new Date() };
    seen = intent;
    if (isSettled(seen.status)) return seen.status;
    authorizedLooks += seen.status === 'authorized' ? 1 : 0;
    if (authorizedLooks === SLOW_AUTHORIZED_LOOKS) yield stillAuthorized(seen);
  }
  yield sentence('This page has watched for long enough. Reload it to go on.');
  return undefined;
}

/** `away` once when the API stops to answer; it may be starting again. */
async function* looks({ client, intentId, signal }: Watched): AsyncGenerator<Intent | 'away'> {
  let isAway = false;
  for (let count = 0; count < LOOKS_MAX && !signal.aborted; count += 1) {
    const found = await client.getIntent(intentId).catch(awayOrThrow);
    if (found !== 'away' || !isAway) yield found;
    isAway = found === 'away';
    await rest(count < LOOKS_QUICK ? LOOK_EVERY_MS : 4 * LOOK_EVERY_MS, signal);
  }
}

function awayOrThrow(error: unknown): 'away' {
  if (error instanceof ConnectionError) return 'away';
  if (error instanceof ApiError && error.status >= 500) return 'away';
  throw error;
}

function stillAuthorized({ intentId }: Intent): Happening {
  return sentence(
    `Still authorized: whether the payee was paid is being found out, and is not guessed. In production people look at such a payment. Here you are those people: npm run payctl -- intents show ${intentId}`,
  );
}

function isTold(status: IntentStatus): boolean {
  return WEBHOOK_EVENT_TYPES_BY_DEFAULT.some((type) => type === `payment_intent.${status}`);
}

async function* watchInbox(watched: Watched): AsyncGenerator<Happening> {
  const { partner, signal } = watched;
  for (let looks = 0; looks < INBOX_LOOKS_MAX && !signal.aborted; looks += 1) {
    const inbox = await readInbox(partner.webhook_inbox_url);
    if (inbox === 'too long') {
      yield sentence(
        'The inbox holds too much to look through: stop the sandbox and delete .local to begin afresh.',
      );
      return;
    }
    const received = inbox.filter(({ body }) => body.includes(watched.intentId));
    for (const one of received) yield webhookOf(one, partner);
    if (received.length > 0) return;
    await rest(INBOX_EVERY_MS, signal);
  }
  yield sentence(
    'No webhook came within a minute. It is sent again for three days: reload to look.',
  );
}

function webhookOf(received: Received, { webhook_secret: secret }: SandboxPartner): Happening {
  // It may have come days ago, when somebody reloads an old page: here its own time counts.
  const now = () => new Date(received.received_at);
  const event = verifyWebhook(received.body, received.headers, [secret], { now });
  return { kind: 'webhook', event, received };
}

async function readInbox(url: string): Promise<readonly Received[] | 'too long'> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(INBOX_TIMEOUT_MS) });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of asBytes(answer)) {
      bytes += chunk.length;
      if (bytes > INBOX_MAX_BYTES) return 'too long';
      chunks.push(chunk);
    }
    return inboxSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    // The sandbox may be starting again: an inbox that cannot be read is asked for again.
    return [];
  }
}

function asBytes({ body }: Response): AsyncIterable<Uint8Array> {
  if (body === null) throw new TypeError('an answer without a body');
  return body;
}

function sentence(text: string): Happening {
  return { kind: 'sentence', text };
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the pause; the loops look at the signal themselves.
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
