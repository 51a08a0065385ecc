// Drives one real payment over HTTP alone, first as the partner's backend and then as the payer's
// checkout, and prints each step with its time. Times that HTTP does not show are read from
// Postgres and from the provider's journal.
import { z } from 'zod';
import { formatUsd } from '../../domain/money';
import { queryOnce } from '../stack/postgres';
import type { SandboxPartner } from './sandbox-file';
import {
  checkoutLink,
  clientOf,
  confirmAsPayer,
  mintSandboxToken,
  receivedWebhook,
  type ReceivedWebhook,
} from './sandbox-partner';
import type { Addresses } from '../stack/stack';
import { StartError } from '../stack/start-error';
import { formatMs, type Terminal } from '../terminal';
import { COMMANDS } from '../tools';
import { until } from '../until';

const AMOUNT_USD_CENTS = 1_250;
const USD = formatUsd(AMOUNT_USD_CENTS);
const PAYER = 'demo-traveller';
const ORDER = {
  partnerUserId: PAYER,
  amountUsdCents: AMOUNT_USD_CENTS,
  corridor: 'th_qrpay',
} as const;
const CAPTURE_TIMEOUT_MS = 20_000;
const WEBHOOK_TIMEOUT_MS = 20_000;

interface Demonstration {
  readonly intentId: string;
  /** From the signed request until the capture is recorded. */
  readonly createToCapturedMs: number;
}

/**
 * Returns the id of the payment, or undefined after a failure. What operators did to the data may
 * be the reason, such as a stop of payouts, and they need the system to undo it.
 * @throws the failure during a stop
 */
export async function demonstrate(
  partner: SandboxPartner,
  addresses: Addresses,
  { terminal, stopping }: { readonly terminal: Terminal; readonly stopping: AbortSignal },
): Promise<string | undefined> {
  terminal.line(`  ${terminal.bold('One payment, from a signed request to a verified webhook')}`);
  try {
    const payment = await demonstratePayment(partner, addresses, terminal);
    const time = formatMs(payment.createToCapturedMs);
    terminal.line(terminal.dim(`    created to captured in ${time}`));
    return payment.intentId;
  } catch (error) {
    if (stopping.aborted) throw error;
    terminal.complain(error instanceof Error ? error.message : String(error));
    terminal.line('    The system serves all the same. See what holds it up, and undo it:');
    for (const verb of ['payouts show', 'webhooks list', 'accounts list', 'partners list']) {
      terminal.line(`    ${COMMANDS.payctl} ${verb}`);
    }
    return undefined;
  }
}

/**
 * @returns the address of the checkout of a payment that waits for its payer; undefined if the
 *   partner cannot create one, for instance because an operator has suspended it
 */
export async function linkToPay(
  partner: SandboxPartner,
  addresses: Addresses,
): Promise<string | undefined> {
  try {
    const intent = await clientOf(addresses.base_url, partner).createIntent(ORDER);
    return await checkoutLink(addresses, partner, PAYER, intent);
  } catch {
    return undefined;
  }
}

/** @throws StartError when the payment does not become `captured`, or no valid webhook arrives */
async function demonstratePayment(
  partner: SandboxPartner,
  addresses: Addresses,
  terminal: Terminal,
): Promise<Demonstration> {
  const startedAt = Date.now();
  const client = clientOf(addresses.base_url, partner);
  const intent = await terminal.step(
    'created',
    () => client.createIntent(ORDER),
    (made) => `${made.intentId}, ${USD}`,
  );
  const { intentId } = intent;
  const token = await terminal.step(
    'token minted',
    () => mintSandboxToken(partner, PAYER, intent),
    () => 'RS256, for this intent, used once',
  );
  const confirmSentAt = Date.now();
  const answer = await confirmAsPayer(addresses.base_url, intent, token);
  const body = await answer.text();
  // A confirm waits no longer than CONFIRM_WAIT_MS and then answers `authorized`: the partner reads
  // the intent again.
  const isCaptured = async () => (await client.getIntent(intentId)).status === 'captured';
  if (!answer.ok || !(await until(isCaptured, { timeoutMs: CAPTURE_TIMEOUT_MS }))) {
    throw new StartError(
      `The demonstration payment ${intentId} was not captured: confirm answered ${String(answer.status)}, ${body}.`,
    );
  }
  const times = await readPaymentTimes(intentId, addresses);
  printSettlement(terminal, times, confirmSentAt);
  const { received_at: receivedAt, event } = await untilWebhook(partner, intentId);
  const verified = `${event.id}, signed`;
  terminal.done('webhook verified', between(times.captured, Date.parse(receivedAt)), verified);
  return { intentId, createToCapturedMs: times.captured - startedAt };
}

function printSettlement(terminal: Terminal, times: PaymentTimes, confirmSentAt: number): void {
  const { authorized, debited, paidOut, captured } = times;
  const how = debited === authorized ? 'in the confirm’s commit' : 'from the holding account';
  const steps = [
    ['confirmed', confirmSentAt, authorized, 'by the payer’s session token'],
    ['debited', authorized, debited, `${USD} ${how}`],
    ['paid out', debited, paidOut, 'by the sandbox provider, once'],
    ['captured', paidOut, captured, 'the intent’s final status'],
  ] as const;
  for (const [label, from, to, detail] of steps) terminal.done(label, between(from, to), detail);
}

/** The two instants may come from different clocks. */
function between(from: number, to: number): number {
  return Math.max(0, to - from);
}

async function untilWebhook(partner: SandboxPartner, intentId: string): Promise<ReceivedWebhook> {
  let received: ReceivedWebhook | undefined;
  const hasArrived = async () => {
    received = await receivedWebhook(partner, intentId);
    return received !== undefined;
  };
  await until(hasArrived, { timeoutMs: WEBHOOK_TIMEOUT_MS });
  if (received !== undefined) return received;
  throw new StartError(
    `No webhook arrived for ${intentId} within ${WEBHOOK_TIMEOUT_MS / 1_000} s.`,
  );
}

const STEPS = `
  select (select extract(epoch from at)::float8 * 1000 from intent_transitions
           where intent_id = $1 and to_status = 'authorized') as authorized,
         (select extract(epoch from created_at)::float8 * 1000 from ledger_transfers
           where transfer_key = $1 || ':debit') as debited,
         (select extract(epoch from at)::float8 * 1000 from intent_transitions
           where intent_id = $1 and to_status = 'captured') as captured`;
const stepsSchema = z.object({ authorized: z.number(), debited: z.number(), captured: z.number() });
const journalSchema = z.array(z.object({ key: z.string(), executed_at: z.string() }));

type PaymentTimes = Awaited<ReturnType<typeof readPaymentTimes>>;

/**
 * Reads when each step of a payment happened, in milliseconds since 1970, from our Postgres and the
 * provider's journal.
 * @throws when a step is missing
 */
async function readPaymentTimes(intentId: string, { database_url, provider_url }: Addresses) {
  const [steps] = await queryOnce(database_url, { text: STEPS, values: [intentId] });
  const journal = journalSchema.parse(await (await fetch(`${provider_url}/journal`)).json());
  const [payout, another] = journal.filter(({ key }) => key === `${intentId}:payout`);
  if (payout === undefined || another !== undefined) {
    throw new Error(`the provider's journal does not hold one payout of ${intentId}`);
  }
  return { ...stepsSchema.parse(steps), paidOut: Date.parse(payout.executed_at) };
}
