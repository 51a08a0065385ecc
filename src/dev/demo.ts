// Drives one real payment through HTTP alone, first as the partner's backend and then as the payer's checkout would, and
// tells each step with the time it took. What it cannot see over HTTP it asks of the running systems; it invents nothing.
import { formatUsd } from '../domain/money';
import { createClient, verifyWebhook, type Client, type Intent } from '../sdk';
import { z } from 'zod';
import { readPaymentTimes, type PaymentTimes } from './payment-times';
import type { SandboxPartner } from './sandbox-file';
import { mintSandboxToken } from './sandbox-token';
import type { Addresses } from './stack';
import { StartError } from './start-error';
import type { Terminal } from './terminal';
import { until } from './until';

const AMOUNT_USD_CENTS = 1_250;
const PAYER = 'demo-traveller';
const CAPTURED_WITHIN_MS = 20_000;
const WEBHOOK_WITHIN_MS = 20_000;

const confirmedSchema = z.object({ status: z.string() });
const inboxSchema = z.array(
  z.object({
    received_at: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
);

type InboxEntry = z.infer<typeof inboxSchema>[number];

export interface Demonstration {
  readonly intentId: string;
  /** From the signed request to money paid out and recorded. */
  readonly createToCapturedMs: number;
}

/** @throws StartError when the payment does not come to `captured` with a webhook that verifies */
export async function demonstratePayment(
  partner: SandboxPartner,
  addresses: Addresses,
  terminal: Terminal,
): Promise<Demonstration> {
  const startedAt = Date.now();
  const client = createClient({
    baseUrl: addresses.api,
    keyId: partner.key_id,
    signingSecret: partner.signing_secret,
  });
  const intent = await timed(
    terminal,
    'created',
    () => createIntent(client),
    (made) => {
      return `${made.intentId}, ${formatUsd(made.amountUsdCents)} to a Thai QR code`;
    },
  );
  const token = await timed(
    terminal,
    'token minted',
    () => mintSandboxToken(partner, PAYER, intent),
    () => {
      return `RS256 by ${partner.partner_id}, bound to this intent, used once`;
    },
  );
  const confirmSentAt = Date.now();
  const told = await confirm(intent, token, addresses.api);
  await requireCaptured(client, intent, told);
  const times = await readPaymentTimes(intent.intentId, addresses);
  tellSettlement({ terminal, times, confirmSentAt, amount: intent.amountUsdCents });
  const { entry, eventId } = await receiveWebhook(partner, intent);
  terminal.done(
    'webhook verified',
    Math.max(0, Date.parse(entry.received_at) - times.captured),
    `${eventId}, HMAC-SHA256 over the exact bytes`,
  );
  return { intentId: intent.intentId, createToCapturedMs: times.captured - startedAt };
}

async function timed<Result>(
  terminal: Terminal,
  label: string,
  work: () => Promise<Result>,
  detail: (result: Result) => string,
): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  terminal.done(label, performance.now() - startedAt, detail(result));
  return result;
}

function createIntent(client: Client): Promise<Intent> {
  return client.createIntent({
    partnerUserId: PAYER,
    amountUsdCents: AMOUNT_USD_CENTS,
    corridor: 'th_qrpay',
  });
}

interface Told {
  readonly httpStatus: number;
  /** Of the intent, or what the refusal says. */
  readonly status: string;
}

/** As the checkout does: the session token and nothing else. */
async function confirm(intent: Intent, token: string, api: string): Promise<Told> {
  const answer = await fetch(`${api}/v1/payment_intents/${intent.intentId}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  const status = answer.ok ? confirmedSchema.parse(JSON.parse(text)).status : text;
  return { httpStatus: answer.status, status };
}

/** A confirm waits no longer than CONFIRM_WAIT_MS, and then says `authorized`: the partner looks again. */
async function requireCaptured(client: Client, intent: Intent, told: Told): Promise<void> {
  const { intentId } = intent;
  const isCaptured = async () => (await client.getIntent(intentId)).status === 'captured';
  const { httpStatus, status } = told;
  if (status === 'captured') return;
  if (status === 'authorized' && (await until(isCaptured, { timeoutMs: CAPTURED_WITHIN_MS })))
    return;
  throw new StartError(
    `The demonstration payment ${intentId} was not captured: confirm answered ${String(httpStatus)}, ${status}.`,
  );
}

interface Settlement {
  readonly terminal: Terminal;
  readonly times: PaymentTimes;
  readonly confirmSentAt: number;
  readonly amount: number;
}

function tellSettlement({ terminal, times, confirmSentAt, amount }: Settlement): void {
  const { authorized, debited, paidOut, captured } = times;
  const between = (from: number, to: number) => Math.max(0, to - from);
  const usd = formatUsd(amount);
  terminal.done('confirmed', between(confirmSentAt, authorized), 'by the payer’s session token');
  const how = debited === authorized ? ', in the confirm’s own commit' : '';
  terminal.done('debited', between(authorized, debited), `${usd} from the holding account${how}`);
  terminal.done(
    'paid out',
    between(debited, paidOut),
    'by the sandbox provider, in its journal once',
  );
  terminal.done('captured', between(paidOut, captured), 'the intent’s final status');
}

/** From the partner's inbox, once it is there: what is shown verified has been. */
async function receiveWebhook(
  partner: SandboxPartner,
  intent: Intent,
): Promise<{ readonly entry: InboxEntry; readonly eventId: string }> {
  let entry: InboxEntry | undefined;
  const hasArrived = async () => {
    const answer = await fetch(partner.webhook_inbox_url);
    const inbox = inboxSchema.parse(await answer.json());
    entry = inbox.find(({ body }) => body.includes(intent.intentId));
    return entry !== undefined;
  };
  await until(hasArrived, { timeoutMs: WEBHOOK_WITHIN_MS });
  if (entry === undefined) {
    throw new StartError(
      `No webhook arrived for ${intent.intentId} within ${WEBHOOK_WITHIN_MS / 1_000} s.`,
    );
  }
  const event = verifyWebhook(entry.body, entry.headers, [partner.webhook_secret]);
  return { entry, eventId: event.id };
}
