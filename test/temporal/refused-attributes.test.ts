// A namespace that lacks search attributes: workflows start without what it refuses, and say so
// once (decision 137).
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { until } from '../../src/dev/until';
import type { Log } from '../../src/ports/observe';
import { connectTemporal } from '../../src/temporal/connection';
import { confirmPayment, startPayment } from '../../src/temporal/payment-start';
import { requestRefund } from '../../src/temporal/starts';
import { warnOfMissingAttributes } from '../../src/temporal/namespace';
import { CORRIDOR, OMITTED_ATTRIBUTES, refundWorkflowId } from '../../workflows/messages/messages';
import { NOON } from '../support/clock';
import { aPaymentStart, type TestPaymentStart } from '../support/payments/payment-start';
import { temporalAddress } from '../support/servers/temporal-address';

const SETUP_MS = 60_000;
const SOON = { timeoutMs: 30_000, everyMs: 200 };
const KEYWORD = 2;

const namespace = `refusing-${randomUUID()}`;
let client: Client;
let warned: unknown[];
const log = {
  info: () => undefined,
  warn: ({ search_attributes: names }: Parameters<Log['warn']>[0]) => warned.push(names),
} as unknown as Log;

/** It has one of the four attributes. */
beforeAll(async () => {
  const setup = connectTemporal({ address: temporalAddress(), namespace });
  await setup.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  const register = () =>
    setup.connection.operatorService
      .addSearchAttributes({ namespace, searchAttributes: { [CORRIDOR.name]: KEYWORD } })
      .then(
        () => true,
        () => false,
      );
  await until(register, SOON);
  await setup.connection.close();
}, SETUP_MS);

beforeEach(() => {
  warned = [];
  client = connectTemporal({ address: temporalAddress(), namespace }, log);
});
afterEach(() => client.connection.close());

const namesAt = async (workflowId: string) => {
  const { typedSearchAttributes } = await client.workflow.getHandle(workflowId).describe();
  return typedSearchAttributes.getAll().map(({ key }) => key.name);
};
const omittedAt = async (workflowId: string) => {
  const { memo } = await client.workflow.getHandle(workflowId).describe();
  return new Set(memo?.[OMITTED_ATTRIBUTES] as string[]);
};

const REFUSED = ['PartnerId', 'PaymentStatus', 'NeedsAttention'];

it.each([
  ['start', (payment: TestPaymentStart) => startPayment(client, payment, NOON)],
  [
    'signal with start',
    (payment: TestPaymentStart) =>
      confirmPayment(client, payment, { actor: 'ann', reason: 'requested' }),
  ],
])('a %s keeps what the namespace knows, and warns of the rest once', async (_how, start) => {
  const payments = [aPaymentStart(), aPaymentStart()];
  for (const payment of payments) await start(payment);
  const names = await Promise.all(payments.map(({ intentId }) => namesAt(intentId)));
  expect(names).toEqual([['Corridor'], ['Corridor']]);
  for (const { intentId } of payments) {
    expect(await omittedAt(intentId)).toEqual(new Set(REFUSED));
  }
  expect(new Set(warned.flat())).toEqual(new Set(REFUSED));
  expect(warned.flat()).toHaveLength(REFUSED.length);
});

it('an update with start does so too', async () => {
  const intent = aPaymentStart();
  const { intentId } = intent;
  const stopped = new AbortController();
  const request = { intentId, requestId: randomUUID(), actor: 'ann', reason: null, intent };
  const asked = requestRefund(client, request, stopped.signal).catch(() => undefined);
  const isStarted = () =>
    namesAt(refundWorkflowId(intentId)).then(
      (names) => names.length > 0,
      () => false,
    );
  await until(isStarted, SOON);
  await expect(namesAt(refundWorkflowId(intentId))).resolves.toEqual(['Corridor']);
  stopped.abort();
  await asked;
});

it('an error about anything else is not taken for a refused attribute', async () => {
  const elsewhere = connectTemporal({ address: temporalAddress(), namespace: randomUUID() }, log);
  await expect(startPayment(elsewhere, aPaymentStart(), NOON)).rejects.toThrow(
    'Namespace not found',
  );
  expect(warned).toEqual([]);
  await elsewhere.connection.close();
});

it('a worker names what is missing when it starts', async () => {
  await warnOfMissingAttributes(client, log);
  expect(warned).toEqual([REFUSED]);
});
