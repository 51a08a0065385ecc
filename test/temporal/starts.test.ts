// The start options of every workflow, on a real Temporal server: a short task timeout, since a
// killed worker delays a task that long, and the attributes by which operators find it
// (architecture, section 3, "Starting and repairing", "Legibility and budget").
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { until } from '../../src/dev/until';
import { knownPartnerId } from '../../src/postgres/intents/row';
import { ensureRecheck } from '../../src/temporal/workflow-repairer';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import {
  confirmPayment,
  remindPayment,
  resumePayment,
  startPayment,
} from '../../src/temporal/payment-start';
import { requestRefund, ensureRestoreWatch, startDelivery } from '../../src/temporal/starts';
import * as workflows from '../../workflows';
import {
  recheckWorkflowId,
  refundWorkflowId,
  RESTORE_WATCH_ID,
  webhookWorkflowId,
} from '../../workflows/messages/messages';
import { anEventId } from '../support/builders';
import { NOON } from '../support/clock';
import { aPaymentStart, type TestPaymentStart } from '../support/payments/payment-start';
import { temporalAddress } from '../support/servers/temporal-address';
import { markedInUi } from '../support/servers/temporal-ui';

const NAMESPACE_TRIES = 60;
const SETUP_MS = 60_000;
const SOON = { timeoutMs: 10_000 };
const OPERATOR = { actor: 'ann', reason: 'requested' };

const namespace = `starts-${randomUUID()}`;
let client: Client;
beforeAll(async () => {
  client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
}, SETUP_MS);
afterAll(() => client.connection.close());

const anEvent = () => ({ eventId: anEventId(), ...aPaymentStart() });

/**
 * Each function starts a workflow and returns its id. No worker runs, so that each workflow stays
 * as it was started.
 */
const STARTS: Readonly<Record<string, () => Promise<string>>> = {
  'paymentIntent, begun': () => ofPayment((payment) => startPayment(client, payment, NOON)),
  'paymentIntent, reminded': () => ofPayment((payment) => remindPayment(client, payment)),
  'paymentIntent, resumed': () => ofPayment((payment) => resumePayment(client, payment)),
  'paymentIntent, confirmed by operations': () =>
    ofPayment((payment) => confirmPayment(client, payment, OPERATOR)),
  'refundIntent, requested': refunded,
  'payoutRecheck, pending': async () => {
    const pending = { ...aPaymentStart(), resolvedAs: 'cancelled' } as const;
    await ensureRecheck(client, pending);
    return recheckWorkflowId(pending.intentId);
  },
  'webhookDelivery, pending': async () => {
    const event = anEvent();
    await startDelivery(client, event);
    return webhookWorkflowId(event.eventId);
  },
  'webhookDelivery, replayed': async () => {
    const event = anEvent();
    await startDelivery(client, event, { isReplay: true });
    return webhookWorkflowId(event.eventId);
  },
  'restoreWatch, ensured': async () => {
    await ensureRestoreWatch(client);
    return RESTORE_WATCH_ID;
  },
};

async function ofPayment(start: (payment: TestPaymentStart) => Promise<void>): Promise<string> {
  const payment = aPaymentStart();
  await start(payment);
  return payment.intentId;
}

/**
 * One message starts the workflow and sends the update; without a worker there is no answer to the
 * update.
 */
async function refunded(): Promise<string> {
  const intent = aPaymentStart();
  const { intentId } = intent;
  const given = new AbortController();
  const input = { intentId, requestId: 'mine', ...OPERATOR, intent };
  const request = requestRefund(client, input, given.signal).catch(() => undefined);
  const workflow = client.workflow.getHandle(refundWorkflowId(intentId));
  const isThere = () => workflow.describe().then(Boolean, () => false);
  await until(isThere, SOON);
  given.abort();
  await request;
  return workflow.workflowId;
}

it('the starts cover every workflow type of a worker', () => {
  const begun = Object.keys(STARTS).map((start) => start.split(',')[0]);
  expect([...new Set(begun)].sort()).toEqual(Object.keys(workflows).sort());
});

it.each(Object.entries(STARTS))(
  '%s: its tasks have five seconds, and it has a summary',
  async (name, start) => {
    const workflow = client.workflow.getHandle(await start());
    const { raw, type } = await workflow.describe();
    expect(tsToMs(raw.executionConfig?.defaultWorkflowTaskTimeout)).toBe(5_000);
    expect(name).toContain(`${type}, `);
    const { summary, partnerId } = await markedInUi(workflow);
    expect(summary).toMatch(/^[A-Z0-9].* /);
    expect(partnerId).toBe(type === 'restoreWatch' ? undefined : 'acme');
  },
);

it("the UI's list finds a partner's webhooks, also replayed ones, by the partner", async () => {
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
  const workflowIds = [event, replayed].map(({ eventId }) => webhookWorkflowId(eventId));
  expect([...found].sort()).toEqual(workflowIds.sort());
});
