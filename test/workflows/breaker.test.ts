// A payment whose payout waits because its provider leaves orders without an answer, and the queue
// on which a provider is called.
import { payoutDelayed } from '../../activities/failures';
import { isWaitingForPayouts } from '../support/payments/stopped-payment';
import { until } from '../../src/dev/until';
import type { WorldOptions } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { SOON, withPayment, type StartedWorld } from './started-payment';

const DELAYED = { status: 'authorized', attention: null, steps: ['debit'] };

/** A confirmed payment whose payout the breaker holds until `letThrough` is called. */
async function whileDelayed(
  provider: ScriptedAnswer[],
  work: (world: StartedWorld, letThrough: () => void) => Promise<void>,
) {
  let isHeld = true;
  let attempts = 0;
  const wrap: WorldOptions['wrap'] = (activities) => ({
    ...activities,
    payOutAtOnce: () => Promise.resolve({ outcome: 'not_sent' }),
    payOut: (request) => {
      attempts += 1;
      return isHeld ? Promise.reject(payoutDelayed()) : activities.payOut(request);
    },
  });
  await withPayment({ wrap, provider }, async (world) => {
    const confirming = world.confirm();
    await until(() => attempts > 0, SOON);
    await work(world, () => {
      isHeld = false;
    });
    await confirming;
  });
}

it('a delayed payment needs no attention after an hour, and is captured once it is let through', () =>
  whileDelayed(['not_found', 'paid'], async ({ environment, workflow, row, sent }, letThrough) => {
    await environment.sleep('1 hour');
    await expect(row()).resolves.toEqual(DELAYED);
    expect(sent).toEqual([]);
    letThrough();
    await expect(workflow.result()).resolves.toBe('captured');
    expect(sent).toHaveLength(1);
  }));

it('a delayed payment is cancelled only once payouts are stopped', () =>
  whileDelayed(['not_found'], async (world, letThrough) => {
    const { environment, workflow, cancel, stop, row, sent } = world;
    await expect(cancel()).rejects.toThrow('Workflow Update failed');
    await stop('operator');
    letThrough();
    await environment.sleep('20 seconds');
    await until(() => isWaitingForPayouts(workflow), SOON);
    await expect(cancel()).resolves.toEqual({ status: 'cancelled' });
    await expect(row()).resolves.toMatchObject({ steps: ['debit', 'release'] });
    expect(sent).toEqual([]);
  }));

it('a payment calls its provider on the queue of its corridor', () =>
  withPayment({ provider: ['unknown', 'paid'] }, async ({ confirm, passTimeUntil, workflow }) => {
    await passTimeUntil(confirm());
    await workflow.result();
    const { events } = await workflow.fetchHistory();
    const scheduled = events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    const queues = scheduled?.map(({ activityType, taskQueue }) => [
      ...[activityType?.name, taskQueue?.name],
    ]);
    expect(queues).toEqual([['payOut', 'payouts-th_qrpay']]);
  }));
