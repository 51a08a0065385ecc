// A hint of the provider (decision 156): the workflow repairer signals a payment that waits, and
// its own workflow queries the provider at once.
import { takeHint } from '../../src/postgres/payouts/hints';
import { ACCOUNT } from '../support/payments/accounts';
import { pollRepairer, withUnknownPayment, type StartedWorld } from './started-payment';

const hintOf = ({ payment }: StartedWorld) => ({
  ...{ intentId: payment.intentId, corridor: payment.corridor, accounts: [ACCOUNT] },
  reference: null,
});

/** No reminder is due: the poll has what a hint made due. */
async function pollAfter(world: StartedWorld, work: () => Promise<unknown>): Promise<number> {
  await world.setClock();
  await world.rows(`update payment_intents set check_at = service_now() + interval '1 hour'`);
  await work();
  return pollRepairer(world);
}

async function eventsOf({ workflow }: StartedWorld) {
  const { events } = await workflow.fetchHistory();
  const typed = events ?? [];
  return {
    signals: typed.filter((event) => event.workflowExecutionSignaledEventAttributes).length,
    cancelled: typed.filter((event) => event.activityTaskCancelRequestedEventAttributes).length,
  };
}

it('ends the wait of a payment by one signal, which leads to one query', () =>
  withUnknownPayment({}, async (world, provider) => {
    provider.push('paid');
    await expect(pollAfter(world, () => takeHint(world.database, hintOf(world)))).resolves.toBe(1);
    await expect(world.isStatus('captured')).resolves.toBe(true);
    await expect(eventsOf(world)).resolves.toEqual({ signals: 1, cancelled: 1 });
    expect(world.sent).toHaveLength(1);
  }));

it('without one the poll signals nothing', () =>
  withUnknownPayment({}, async (world) => {
    await expect(pollAfter(world, () => Promise.resolve())).resolves.toBe(0);
    await expect(eventsOf(world)).resolves.toEqual({ signals: 0, cancelled: 0 });
    await world.workflow.terminate('the test is over');
  }));

it('of a provider that still does not know leaves the payment as it was', () =>
  withUnknownPayment({}, async (world) => {
    const before = await world.row();
    await pollAfter(world, () => takeHint(world.database, hintOf(world)));
    await world.environment.sleep('2 minutes');
    await expect(world.row()).resolves.toEqual(before);
    await expect(eventsOf(world)).resolves.toEqual({ signals: 1, cancelled: 1 });
    expect(world.sent).toHaveLength(1);
    await world.workflow.terminate('the test is over');
  }));
