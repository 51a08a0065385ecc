// Signals by Temporal's own CLI to a payment that waits for its payer (docs/operations.md, "Decide
// what only people can"): a plain signal is stored and has no effect, a signal with start wakes the
// workflow.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readTools, temporalCliOf } from '../../../src/dev/tools';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { recogniseErrorsOfNode } from '../../support/builders';
import { temporalAddress } from '../../support/servers/temporal-address';
import { isDone, statusWhen, withLiveSetup } from './setup';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 20_000 };
const run = promisify(execFile);

const { world, payer } = withLiveSetup();

/** A created payment whose workflow is in its start delay. */
async function aWaitingPayment(): Promise<PaymentIntent> {
  const intent = await payer.create();
  const isStarted = () => isDone(world.client.workflow.getHandle(intent.intentId).describe());
  await expect(until(isStarted, WAIT)).resolves.toBe(true);
  return intent;
}

function temporal(command: string, { intentId }: PaymentIntent, ...more: readonly string[]) {
  const { namespace } = world.client.options;
  const where = ['--address', temporalAddress(), '--namespace', namespace];
  const args = ['workflow', command, '--workflow-id', intentId, ...more, ...where];
  return run(temporalCliOf(readTools()), args, { timeout: 30_000 });
}

/** The options of the runbook. */
const WITH_START = [
  ...['--type', 'paymentIntent', '--task-queue', 'payments'],
  ...['--id-conflict-policy', 'UseExisting', '--id-reuse-policy', 'AllowDuplicateFailedOnly'],
  ...['--signal-name', 'confirm'],
];

async function tasksOf({ intentId }: PaymentIntent): Promise<number> {
  const { events } = await world.client.workflow.getHandle(intentId).fetchHistory();
  return (events ?? []).filter(({ workflowTaskScheduledEventAttributes: task }) => task).length;
}

async function confirmedBy({ intentId }: PaymentIntent): Promise<unknown> {
  const { rows } = await world.bed.database.query({
    text: `select actor, reason from intent_transitions
            where intent_id = $1 and to_status = 'authorized'`,
    values: [intentId],
  });
  return rows[0];
}

it('a plain confirm signal has no effect until another call wakes the workflow', async () => {
  const intent = await aWaitingPayment();
  const input = '{"actor":"ben","reason":"by plain signal"}';
  await temporal('signal', intent, '--name', 'confirm', '--input', input);
  // A server that wakes a workflow schedules its task in the transaction of the signal, so zero
  // tasks means no wake-up.
  await expect(tasksOf(intent)).resolves.toBe(0);
  await temporal('signal-with-start', intent, ...WITH_START);
  await expect(statusWhen(world, intent, 'captured')).resolves.toBe('captured');
  await expect(confirmedBy(intent)).resolves.toEqual({ actor: 'ben', reason: 'by plain signal' });
});

it('a confirm signal with start confirms only with operator and reason', async () => {
  const intent = await aWaitingPayment();
  await temporal('signal-with-start', intent, ...WITH_START);
  await expect(until(async () => (await tasksOf(intent)) > 0, WAIT)).resolves.toBe(true);
  await expect(confirmedBy(intent)).resolves.toBeUndefined();
  const input = '{"actor":"ann","reason":"the payer called"}';
  await temporal('signal-with-start', intent, ...WITH_START, '--signal-input', input);
  await expect(statusWhen(world, intent, 'captured')).resolves.toBe('captured');
  await expect(confirmedBy(intent)).resolves.toEqual({ actor: 'ann', reason: 'the payer called' });
});
