// The reference of a captured payment on a real Temporal server: a workflow of the same 11 events
// whose activities do nothing. It runs in the worker's isolate, so it imports only the SDK.
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';

export interface BareSteps {
  readonly authorize: () => Promise<void>;
  readonly payOut: () => Promise<void>;
  readonly deliver: () => Promise<void>;
}

/** A search attribute that the namespace of every bench has. */
export const STATUS = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');
export const confirmUpdate = defineUpdate('confirm');

const { authorize, payOut, deliver } = proxyLocalActivities<BareSteps>({
  startToCloseTimeout: '5 s',
});

export async function barePayment(): Promise<void> {
  const payment = { isConfirmed: false, isPaid: false };
  setHandler(confirmUpdate, async () => {
    payment.isConfirmed = true;
    await condition(() => payment.isPaid);
  });
  await condition(() => payment.isConfirmed);
  await authorize();
  await payOut();
  payment.isPaid = true;
  upsertSearchAttributes([{ key: STATUS, value: 'captured' }]);
  await deliver();
  await condition(allHandlersFinished);
}
