// What write access to Temporal can do: the table of SECURITY.md, row by row.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPayoutStops } from '../../src/postgres/payouts/stops';
import {
  PAYMENT_WORKFLOW,
  PAYMENTS_QUEUE,
  REFUND_WORKFLOW,
  refundWorkflowId,
} from '../../workflows/messages/messages';
import { until } from '../../src/dev/until';
import { anIntentId } from '../support/builders';
import { SOON, withPayment, type StartedWorld } from './started-payment';

const taskQueue = PAYMENTS_QUEUE;

/** Each does what the row says, and expects its effect. */
const ROWS: Readonly<Record<string, (world: StartedWorld) => Promise<void>>> = {
  'confirm an open intent': async ({ confirm, row, sent }) => {
    const inventedToken = 'ee'.repeat(32);
    await expect(confirm(inventedToken)).resolves.toEqual({ status: 'captured' });
    await expect(row()).resolves.toMatchObject({ steps: ['debit', 'capture'] });
    expect(sent).toMatchObject([{ amountUsdCents: 1_250, qrPayload: null }]);
  },
  'cancel an unsent payment': async ({ cancel, row, sent }) => {
    await expect(cancel()).resolves.toEqual({ status: 'cancelled' });
    await expect(row()).resolves.toMatchObject({ status: 'cancelled', steps: [] });
    expect(sent).toEqual([]);
  },
  'refund a captured payment': async ({ environment, payment, confirm, row }) => {
    await confirm();
    const { intentId, partnerId } = payment;
    const refund = { intentId, partnerId, requestId: 'r', actor: 'eve', reason: null };
    const workflowId = refundWorkflowId(intentId);
    const start = { workflowId, taskQueue, args: [refund] };
    await environment.client.workflow.execute(REFUND_WORKFLOW, start);
    await expect(row()).resolves.toMatchObject({ steps: ['debit', 'capture', 'refund'] });
  },
  'stop all payouts': async ({ environment, payment, database }) => {
    const lost = { ...payment, intentId: anIntentId() };
    const start = { workflowId: lost.intentId, taskQueue, args: [lost] };
    const run = await environment.client.workflow.start(PAYMENT_WORKFLOW, start);
    await environment.sleep('40 minutes');
    const areStopped = async () => (await listPayoutStops(database)).length > 0;
    await expect(until(areStopped, SOON)).resolves.toBe(true);
    await run.terminate('the test is over');
  },
};

it.each(Object.entries(ROWS))('write access to Temporal can %s', async (_what, use) => {
  await expect(withPayment(use)).resolves.toBeUndefined();
});

it('has one test for each row of SECURITY.md', () => {
  const page = readFileSync(join(__dirname, '../../SECURITY.md'), 'utf8');
  const [, table = ''] = page.split(/<!-- \/?temporal -->/);
  const rows = table.trim().split('\n').slice(2);
  expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(Object.keys(ROWS));
});
