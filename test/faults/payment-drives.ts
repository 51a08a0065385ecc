// What is done to a payment so that it goes its way. Many payments go one way at once in one world, so time is skipped by
// stated amounts only: a local activity that is to be repeated holds no time still, and whoever awaits one run's result
// would skip the deadlines of the others.
import type { PaymentStart } from '../../src/domain/payment-start';
import { until } from '../../src/dev/until';
import { createPayoutStops } from '../../src/postgres/payout-stops';
import { remindPayment } from '../../src/temporal/payment-start';
import { requestRefund } from '../../src/temporal/refund-start';
import { cancelUpdate, resolvePayoutUpdate, type Resolution } from '../../workflows/messages';
import type { ScriptedOutcome } from '../support/scripted-provider';
import { tokenOf, type FaultWorld } from './fault-world';

/** Takes one payment along, as far as it goes without skipping time; answers what was told to those who asked. */
export type Drive = (world: FaultWorld, payment: PaymentStart) => Promise<readonly string[]>;
/** What happens much later to payments that have been driven. */
export type Later = (
  world: FaultWorld,
  payments: readonly PaymentStart[],
) => Promise<readonly string[]>;

const PATIENCE_MS = 20_000;

export const confirmed: Drive = async (world, payment) => {
  await world.start(payment);
  const { status } = await world.confirm(payment, tokenOf(payment));
  return [status];
};

export const cancelled: Drive = async (world, payment) => {
  const run = await world.start(payment);
  const { status } = await run.executeUpdate(cancelUpdate);
  return [status];
};

export const cancelledWhileDebited: Drive = async (world, payment) => {
  const run = await world.start(payment);
  const confirming = world.confirm(payment, tokenOf(payment));
  await world.debitBegun(payment.intentId).isOpen;
  const cancelling = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
  world.debitHeld(payment.intentId).open();
  const replies = await Promise.all([confirming, cancelling.result()]);
  return replies.map(({ status }) => status);
};

/** All payouts are stopped before it is confirmed, so that its own is not begun. */
export const heldUp: Drive = async (world, payment) => {
  await createPayoutStops(world.database).stop({
    actor: 'ann',
    reason: 'recorded',
    kind: 'operator',
  });
  await world.start(payment);
  world.confirm(payment, tokenOf(payment)).catch(() => undefined);
  const isAuthorized = async () =>
    (await world.intents.standing(payment.intentId)).status === 'authorized';
  await until(isAuthorized, { timeoutMs: PATIENCE_MS });
  return [];
};

export const leftAlone: Drive = async (world, payment) => {
  await world.start(payment);
  return [];
};

/** As the reconciler does it to a payment whose row is further along than its run. */
export const pickedUp: Drive = async (world, payment) => {
  await world.start(payment);
  const { intentId, partnerId, expiresAtMs } = payment;
  const token = { partnerId, jtiHash: tokenOf(payment), expiresAtMs };
  const authorize = { from: 'created', event: 'authorize', actor: 'payer' } as const;
  await world.intents.transition({ intentId, ...authorize, token });
  await remindPayment(world.environment.client, payment);
  return [];
};

/** The provider has been sent the payout, and does not tell. */
export const leftUnknown: Drive = async (world, payment) => {
  await world.start(payment);
  const confirming = world.confirm(payment, tokenOf(payment));
  confirming.catch(() => undefined);
  await until(() => sentOf(world, payment) > 0, { timeoutMs: PATIENCE_MS });
  return [];
};

export const refunded: Drive = async (world, payment) => {
  const told = await confirmed(world, payment);
  const { intentId } = payment;
  const asked = { intentId, requestId: intentId, actor: 'ann', reason: 'asked for' };
  const { status } = await requestRefund(
    world.environment.client,
    { ...asked, intent: payment },
    AbortSignal.timeout(PATIENCE_MS),
  );
  return [...told, status];
};

export const afterTheDeadline: Later = async ({ environment }) => {
  // The deadline, and the time within which a workflow adopts that it has passed.
  await environment.sleep('41 minutes');
  return [];
};

/** What may have been on its way when payouts were stopped is waited for. A cancel is refused until the run waits for their end. */
export const cancelledWhileHeld: Later = async (world, payments) => {
  await world.environment.sleep('20 seconds');
  const told = new Set<string>();
  await Promise.all(
    payments.map(async (payment) => {
      const run = world.environment.client.workflow.getHandle(payment.intentId);
      const isTold = () =>
        run.executeUpdate(cancelUpdate).then(
          ({ status }) => told.add(status).size > 0,
          () => false,
        );
      await until(isTold, { timeoutMs: PATIENCE_MS });
      told.add((await world.confirm(payment, tokenOf(payment))).status);
    }),
  );
  return [...told];
};

export const paidAfterAll: Later = async (world, payments) => {
  const told = await patienceEnds(world, payments);
  answerFromNowOn(world, 'paid');
  // The slow asking comes within a minute.
  await world.environment.sleep('2 minutes');
  return told;
};

export const declaredBy =
  (actor: string, outcome: Resolution['outcome']): Later =>
  async (world, payments) => {
    const told = await patienceEnds(world, payments);
    const resolution: Resolution = { outcome, actor, evidence: 'a statement of the provider' };
    const replies = await Promise.all(
      payments.map(({ intentId }) =>
        world.environment.client.workflow
          .getHandle(intentId)
          .executeUpdate(resolvePayoutUpdate, { args: [resolution] }),
      ),
    );
    answerFromNowOn(world, outcome);
    return [...told, ...new Set(replies.map(({ status, refusal }) => refusal ?? status))];
  };

/** The confirm that waited is repeated, which finds the update that there was. */
async function patienceEnds(world: FaultWorld, payments: readonly PaymentStart[]) {
  await world.environment.sleep('20 minutes');
  const replies = await Promise.all(payments.map((one) => world.confirm(one, tokenOf(one))));
  return [...new Set(replies.map(({ status }) => status))];
}

function answerFromNowOn({ provider }: FaultWorld, outcome: ScriptedOutcome): void {
  provider.splice(0, provider.length, outcome);
}

/** How often the provider was sent the payment's order. */
export function sentOf({ sent }: FaultWorld, { intentId }: PaymentStart): number {
  return sent.filter(({ key }) => key === `${intentId}:payout`).length;
}
