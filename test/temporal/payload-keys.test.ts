// A worker that lacks the key of a payload (decision 138), on a real Temporal server: its workflow
// tasks fail and name the key, no money moves, and the payment goes on with a worker that has it.
import { randomBytes } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { until } from '../../src/dev/until';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import type { PayoutProvider } from '../../src/ports/payout-provider';
import { dataConverterOf, type PayloadKey } from '../../src/temporal/payload-codec';
import { startPayment } from '../../src/temporal/payment-start';
import {
  confirmUpdate,
  confirmUpdateId,
  PAYMENTS_QUEUE,
  payoutsQueue,
} from '../../workflows/messages/messages';
import { activitiesOver } from '../faults/live/world';
import { anIntent, aTokenUse } from '../support/builders';
import { aPartner } from '../support/payments/partner';
import { scriptedProviders } from '../support/payments/scripted-provider';
import { bundledWorkflows } from '../support/programs/workflow-bundle';
import { withOwnNamespace } from './own-namespace';

const SOON = { timeoutMs: 30_000 };
const aKey = (id: string): PayloadKey => ({ id, key: randomBytes(32) });
const [older, newer] = [aKey('2026-10'), aKey('2026-11')];

const own = withOwnNamespace({ payloadKeys: [newer] });

it('a payment whose key a worker lacks moves no money, and is captured once a worker has it', async () => {
  const { th_qrpay: scripted } = scriptedProviders(['paid'], []);
  let calls = 0;
  const counted = <Answer>(answer: Answer) => {
    calls += 1;
    return answer;
  };
  const provider: PayoutProvider = {
    ...scripted,
    pay: (...order) => counted(scripted.pay(...order)),
    find: (...question) => counted(scripted.find(...question)),
  };
  const workflowBundle = await bundledWorkflows();
  const aWorker = (payloadKeys: readonly PayloadKey[], taskQueue = PAYMENTS_QUEUE) =>
    Worker.create({
      ...{ connection: own.connection, namespace: own.namespace, workflowBundle, taskQueue },
      activities: { ...activitiesOver(own.bed, provider) },
      dataConverter: dataConverterOf({ payloadKeys }),
    });
  const partner = await aPartner(own.bed);
  const payment = toPaymentStart(await anIntent(own.bed, partner));
  await startPayment(own.client, payment, own.bed.clock.now());
  const workflow = own.client.workflow.getHandle(payment.intentId);
  const token = aTokenUse(partner);
  const confirm = () =>
    workflow.executeUpdate(confirmUpdate, {
      args: [{ token, waitForOutcome: true }],
      updateId: confirmUpdateId(token.jtiHash),
    });
  const failures = async () => {
    const { events } = await workflow.fetchHistory();
    return (events ?? []).flatMap(
      ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
    );
  };
  const statusAndSteps = async () => {
    const { rows } = await own.bed.database.query({
      text: `select status, array(select split_part(transfer_key, ':', 2)
                                    from ledger_transfers t where t.intent_id = i.intent_id
                                   order by created_at) as steps
               from payment_intents i where intent_id = $1`,
      values: [payment.intentId],
    });
    return rows;
  };

  const lacking = await aWorker([older]);
  await lacking.runUntil(async () => {
    confirm().catch(() => undefined);
    await until(async () => (await failures()).length > 0, SOON);
  });
  await expect(failures()).resolves.toEqual([
    expect.stringContaining('TEMPORAL_PAYLOAD_KEYS has no key with the id "2026-11"'),
  ]);
  await expect(statusAndSteps()).resolves.toEqual([{ status: 'created', steps: [] }]);
  expect(calls).toBe(0);

  const knowing = await aWorker([newer, older]);
  const payouts = await aWorker([newer, older], payoutsQueue('th_qrpay'));
  const confirmed = () => expect(confirm()).resolves.toMatchObject({ status: 'captured' });
  await knowing.runUntil(payouts.runUntil(confirmed));
  const steps = ['debit', 'capture'];
  await expect(statusAndSteps()).resolves.toEqual([{ status: 'captured', steps }]);
});
