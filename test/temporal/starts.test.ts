// What every run of ours is started with, on a real Temporal server: little time for a task, since a worker that was killed costs as
// much, and what operations find it by (architecture, section 3, "Starting and repairing", "Legibility and budget").
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { until } from '../../src/dev/until';
import { usdCents } from '../../src/domain/money';
import { knownPartnerId } from '../../src/postgres/intents/row';
import { ensureRecheck } from '../../src/temporal/recheck-start';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import {
  confirmPayment,
  remindPayment,
  resumePayment,
  startPayment,
} from '../../src/temporal/payment-start';
import { requestRefund } from '../../src/temporal/refund-start';
import { ensureRestoreWatch } from '../../src/temporal/restore-watch-start';
import { startDelivery } from '../../src/temporal/webhook-start';
import * as workflows from '../../workflows';
import {
  recheckWorkflowId,
  refundWorkflowId,
  RESTORE_WATCH_ID,
  webhookWorkflowId,
} from '../../workflows/messages/messages';
import { anEventId, anIntentId } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { temporalAddress } from '../support/servers/temporal-address';
import { markedInUi } from '../support/servers/temporal-ui';

const NAMESPACE_TRIES = 60;
const SETUP_MS = 60_000;
const SOON = { timeoutMs: 10_000 };
const OPERATOR = { actor: 'ann', reason: 'asked for' };

const namespace = `starts-${randomUUID()}`;
let client: Client;
beforeAll(async () => {
  client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
}, SETUP_MS);
afterAll(() => client.connection.close());

const aPayment = () => ({
  intentId: anIntentId(),
  partnerId: knownPartnerId('acme'),
  amountUsdCents: usdCents(1_250),
  corridor: 'th_qrpay' as const,
  status: 'created' as const,
  createdAtMs: NOON.getTime(),
  expiresAtMs: secondsAfter(NOON, 600).getTime(),
});
type Payment = ReturnType<typeof aPayment>;

const anEvent = () => ({ eventId: anEventId(), ...aPayment() });

/** By the start that is to be seen; each answers the id of its run. No worker is there, so that each run is as it was begun. */
const STARTS: Readonly<Record<string, () => Promise<string>>> = {
  'paymentIntent, begun': () => ofPayment((payment) => startPayment(client, payment, NOON)),
  'paymentIntent, reminded': () => ofPayment((payment) => remindPayment(client, payment)),
  'paymentIntent, resumed': () => ofPayment((payment) => resumePayment(client, payment)),
  'paymentIntent, confirmed by operations': () =>
    ofPayment((payment) => confirmPayment(client, payment, OPERATOR)),
  'refundIntent, asked for': refunded,
  'payoutRecheck, owed': async () => {
    const owed = { ...aPayment(), resolvedAs: 'cancelled' } as const;
    await ensureRecheck(client, owed);
    return recheckWorkflowId(owed.intentId);
  },
  'webhookDelivery, owed': async () => {
    const event = anEvent();
    await startDelivery(client, event);
    return webhookWorkflowId(event.eventId);
  },
  'webhookDelivery, replayed': async () => {
    const event = anEvent();
    await startDelivery(client, event, { isReplay: true });
    return webhookWorkflowId(event.eventId);
  },
  'restoreWatch, kept': async () => {
    await ensureRestoreWatch(client, 'of-tests');
    return RESTORE_WATCH_ID;
  },
};

async function ofPayment(start: (payment: Payment) => Promise<void>): Promise<string> {
  const payment = aPayment();
  await start(payment);
  return payment.intentId;
}

/** It is asked and started by one message, whose answer a worker would give. */
async function refunded(): Promise<string> {
  const intent = aPayment();
  const { intentId } = intent;
  const given = new AbortController();
  const input = { intentId, requestId: 'mine', ...OPERATOR, intent };
  const asked = requestRefund(client, input, given.signal).catch(() => undefined);
  const run = client.workflow.getHandle(refundWorkflowId(intentId));
  const isThere = () => run.describe().then(Boolean, () => false);
  await until(isThere, SOON);
  given.abort();
  await asked;
  return run.workflowId;
}

it('are all that a worker knows', () => {
  const begun = Object.keys(STARTS).map((start) => start.split(',')[0]);
  expect([...new Set(begun)].sort()).toEqual(Object.keys(workflows).sort());
});

it.each(Object.entries(STARTS))(
  '%s: its tasks have five seconds, and it says what it is',
  async (name, start) => {
    const run = client.workflow.getHandle(await start());
    const { raw, type } = await run.describe();
    expect(tsToMs(raw.executionConfig?.defaultWorkflowTaskTimeout)).toBe(5_000);
    expect(name).toContain(`${type}, `);
    const { summary, partnerId } = await markedInUi(run);
    expect(summary).toMatch(/^[A-Z0-9].* /);
    expect(partnerId).toBe(type === 'restoreWatch' ? undefined : 'acme');
  },
);

it("a partner's webhooks, the replayed ones too, are found in the UI's list by the partner", async () => {
  const event = { ...anEvent(), partnerId: knownPartnerId('zen') };
  const replayed = { ...anEvent(), partnerId: event.partnerId };
  await startDelivery(client, event);
  await startDelivery(client, replayed, { isReplay: true });
  const query = `WorkflowType = 'webhookDelivery' and PartnerId = 'zen'`;
  const found = new Set<string>();
  const areThere = async () => {
    for await (const { workflowId } of client.workflow.list({ query })) found.add(workflowId);
    return found.size === 2;
  };
  await until(areThere, SOON);
  const runs = [event, replayed].map(({ eventId }) => webhookWorkflowId(eventId));
  expect([...found].sort()).toEqual(runs.sort());
});
