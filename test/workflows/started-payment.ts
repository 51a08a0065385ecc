// One payment with its workflow in a world of its own, what operations declare about it, and what became of it.
import { until } from '../../src/dev/until';
import type { PaymentStart } from '../../src/domain/intents/payment-start';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payouts/stops';
import {
  cancelUpdate,
  resolvePayoutUpdate,
  type Resolution,
} from '../../workflows/messages/messages';
import { hasCompleted, remindPayment } from '../../src/temporal/payment-start';
import { isHeldUp } from '../support/payments/held-payment';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';

export const ANN = { actor: 'ann', reason: 'the provider pays twice' };
export const EVIDENCE = 'the provider’s statement of 2026-03-02, line 7';
export const SOON = { timeoutMs: 20_000 };

export const declared = (outcome: Resolution['outcome'], actor = 'ann'): Resolution => ({
  outcome,
  actor,
  evidence: EVIDENCE,
});

/** A world with a payment whose workflow is started. What concerns the payment is said of this one. */
export type StartedWorld = ReturnType<typeof startedWorld>;

type Handle = Awaited<ReturnType<PaymentWorld['start']>>;
type Work<World> = (world: World) => Promise<void>;
type Wish = WorldOptions & { readonly cents?: number };

export async function withPayment(
  ...given: [Work<StartedWorld>] | [Wish, Work<StartedWorld>]
): Promise<void> {
  const [{ cents, ...options }, work] = given.length === 1 ? [{} as Wish, given[0]] : given;
  await inPaymentWorld(options, async (world) => {
    const payment = await world.create(cents);
    await work(startedWorld(world, payment, await world.start(payment)));
  });
}

function startedWorld(world: PaymentWorld, payment: PaymentStart, run: Handle) {
  const { intentId } = payment;
  const row = async () => {
    const [found] = await world.rows<{ status: string; attention: string | null; steps: string[] }>(
      `select i.status, i.attention_reason as attention,
              array(select split_part(transfer_key, ':', 2) from ledger_transfers t
                     where t.intent_id = i.intent_id order by created_at) as steps
         from payment_intents i where intent_id = $1`,
      intentId,
    );
    return found;
  };
  return {
    ...{ ...world, payment, run },
    confirm: (jtiHash?: string) => world.confirm(payment, jtiHash),
    /** By a token of that payment's: of another payment, or of this one with another expiry. */
    confirmOf: world.confirm,
    cancel: () => run.executeUpdate(cancelUpdate),
    resolve: (resolution: Resolution) =>
      run.executeUpdate(resolvePayoutUpdate, { args: [resolution] }),
    /** Confirms, and lets time pass until the outcome counts as unknown for too long. */
    confirmInVain: () => world.confirmAndWait(payment, '20 minutes'),
    /** The reconciler then reminds what is held up. */
    allow: async () => {
      await allowPayouts(world.database, { ...ANN, isAfterRestore: true });
      await remindPayment(world.environment.client, payment).catch((error: unknown) => {
        if (!hasCompleted(error)) throw error;
      });
    },
    stop: (kind: 'operator' | 'restore') =>
      createPayoutStops(world.database).stop({ ...ANN, kind }),
    /** Status and attention of its row, and the steps that moved money. */
    row,
    isStatus: (status: string) => until(async () => (await row())?.status === status, SOON),
    /** How the payment came to its status, and by whom. */
    trail: () =>
      world.rows(
        'select to_status as to, actor, reason from intent_transitions where intent_id = $1 order by at',
        intentId,
      ),
  };
}

/** A payment of which the provider says nothing until more is pushed: attention is raised. */
export function withUnknownPayment(
  options: WorldOptions,
  work: (world: StartedWorld, provider: ScriptedAnswer[]) => Promise<void>,
): Promise<void> {
  const provider: ScriptedAnswer[] = ['unknown'];
  return withPayment({ ...options, provider }, async (world) => {
    await world.confirmInVain();
    await work(world, provider);
  });
}

/** Payouts are stopped, the payment is confirmed, and the work begins when its run has waited for as long as an attempt may take. */
export function whileHeld(provider: ScriptedAnswer[], work: Work<StartedWorld>): Promise<void> {
  return onceHeld(provider, async (world) => {
    await world.environment.sleep('20 seconds');
    await work(world);
  });
}

/** The same, at once. */
export async function onceHeld(provider: ScriptedAnswer[], work: Work<StartedWorld>) {
  await withPayment({ provider }, async (world) => {
    await world.stop('operator');
    const confirming = world.confirm();
    if (!(await until(() => isHeldUp(world.run), SOON))) throw new Error('it was not held up');
    await work(world);
    await confirming;
  });
}
