// `payctl intents show` of a payment whose confirm Temporal holds, because no worker is there or
// the worker is stuck. The row is still `created`, and the payer must not pay again.
import { randomUUID } from 'node:crypto';
import { optionalTsToDate } from '@temporalio/common/lib/time';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { toPaymentStart } from '../../../src/domain/intents/payment-start';
import { connectTemporal } from '../../../src/temporal/connection';
import { registerNamespace } from '../../../src/temporal/namespace';
import { startPayment } from '../../../src/temporal/payment-start';
import { INSTALLATION, recogniseErrorsOfNode } from '../../support/builders';
import { runPayctl, textOf } from '../../support/programs/payctl';
import { temporalAddress } from '../../support/servers/temporal-address';
import { said } from './payer';
import { isDone, statusWhen, withLiveSetup } from './setup';

recogniseErrorsOfNode();

const NAMESPACE_TRIES = 60;
const WAIT = { timeoutMs: 60_000 };
const { world, payer } = withLiveSetup();

async function waitsFor(
  { intentId }: PaymentIntent,
  { address = temporalAddress(), namespace = world.client.options.namespace } = {},
): Promise<string> {
  const settings = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
  const ran = await runPayctl(world.bed, ['intents', 'show', intentId, '--json'], settings);
  return (JSON.parse(textOf(ran)) as { readonly waiting_for: string }).waiting_for;
}

const workflowOf = ({ intentId }: PaymentIntent) => world.client.workflow.getHandle(intentId);

/** A created payment whose workflow sleeps until its deadline. */
async function aSleepingPayment(): Promise<PaymentIntent> {
  const intent = await payer.create();
  await until(() => isDone(workflowOf(intent).describe()), WAIT);
  return intent;
}

/** Whether Temporal has woken the workflow: it has then got the confirm. */
async function isWoken(intent: PaymentIntent): Promise<boolean> {
  const { raw } = await workflowOf(intent).describe();
  return raw.pendingWorkflowTask !== undefined && raw.pendingWorkflowTask !== null;
}

const PAYER = /^The payer, to confirm until [^;]*Z\.$/;
const UNFINISHED =
  /^A worker, to carry out a confirm that came at (\S+Z)\. It may still be paid: the payer must not pay in another way\./;
const BOTH =
  /^The payer, to confirm until \S+Z; or, if a confirm came, a worker, to carry it out\. It may still be paid/;

describe('a created payment', () => {
  it('waits for the payer while no request is unfinished, and may be that no worker has it if Temporal is away', async () => {
    const intent = await aSleepingPayment();
    expect(await waitsFor(intent)).toMatch(PAYER);
    expect(await waitsFor(intent, { address: '127.0.0.1:1' })).toMatch(BOTH);
  });

  it('waits for a worker after a confirm that was answered 503, and is paid once one is there', async () => {
    const { intent, words } = await world.withoutWorker(async () => {
      const created = await aSleepingPayment();
      const confirming = payer.confirm(created);
      await until(() => isWoken(created), WAIT);
      const during = await waitsFor(created);
      expect(said(await confirming)).toBe('503');
      return { intent: created, words: [during, await waitsFor(created)] };
    });
    const cameAt = words.map((sentence) => UNFINISHED.exec(sentence)?.[1]);
    const woken = (await workflowOf(intent).fetchHistory()).events?.[1];
    expect(woken?.workflowTaskScheduledEventAttributes).toBeTruthy();
    const at = optionalTsToDate(woken?.eventTime)?.toISOString();
    expect(cameAt).toEqual([at, at]);
    await expect(statusWhen(world, intent, 'captured')).resolves.toBe('captured');
  });

  it('waits for a worker while the worker that has accepted the confirm is stuck', async () => {
    const intent = await aSleepingPayment();
    const authorize = world.holds.hold(intent.intentId, 'authorize');
    const { confirming } = await payer.confirmUntil(authorize, intent);
    expect(await waitsFor(intent)).toMatch(UNFINISHED);
    const isAccepted = async () => {
      const { events } = await workflowOf(intent).fetchHistory();
      return (events ?? []).some((one) => one.workflowExecutionUpdateAcceptedEventAttributes);
    };
    await expect(until(isAccepted, WAIT)).resolves.toBe(true);
    expect(await waitsFor(intent)).toMatch(UNFINISHED);
    authorize.release();
    await confirming;
    await expect(statusWhen(world, intent, 'captured')).resolves.toBe('captured');
  });
});

it('a created payment whose queue no worker polls waits for the payer, or for a worker if a confirm came', async () => {
  const settings = { address: temporalAddress(), namespace: `unpolled-${randomUUID()}` };
  const client = connectTemporal(settings);
  await registerNamespace(client, settings.namespace, NAMESPACE_TRIES);
  const intent = await payer.create();
  await startPayment(client, toPaymentStart(intent, INSTALLATION.id), world.bed.clock.now());
  await client.connection.close();
  expect(await waitsFor(intent, settings)).toMatch(BOTH);
});
