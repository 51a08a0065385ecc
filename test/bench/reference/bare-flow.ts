// The reference of a payment's workflow: three activities that do nothing, one after another. It
// runs in the worker's isolate, so it imports only the SDK.
import { proxyActivities } from '@temporalio/workflow';

export interface BareActivities {
  readonly first: () => Promise<void>;
  readonly second: () => Promise<void>;
  readonly third: () => Promise<void>;
}

const { first, second, third } = proxyActivities<BareActivities>({ startToCloseTimeout: '5 s' });

export async function bareFlow(): Promise<void> {
  await first();
  await second();
  await third();
}
