// A payment with a started workflow in a payment world of its own, and actions on both.
import { until } from '../../src/dev/until';
import type { PaymentStart } from '../../src/domain/intents/payment-start';
import { createPaymentClaims } from '../../src/postgres/intents/claims';
import { createLostCommits } from '../../src/postgres/payouts/lost-commits';
import { createPayoutRechecks } from '../../src/postgres/payouts/rechecks';
import { recordResolution } from '../../src/postgres/payouts/resolutions';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payouts/stops';
import {
  cancelUpdate,
  resolvePayoutUpdate,
  type Resolution,
} from '../../workflows/messages/messages';
import { hasCompleted, remindPayment } from '../../src/temporal/payment-start';
import { createWorkflowRepairer } from '../../src/temporal/workflow-repairer';
import { INSTALLATION } from '../support/builders';
import { SILENT } from '../support/silent-log';
import { isWaitingForPayouts } from '../support/payments/stopped-payment';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { OPEN_SENTENCES } from '../support/payments/attention';

const ANN = { actor: 'ann', reason: 'the provider pays twice' };
export const EVIDENCE = 'the provider’s statement of 2026-03-02, line 7';
export const SOON = { timeoutMs: 20_000 };

export const aResolution = (outcome: Resolution['outcome'], actor = 'ann'): Resolution => ({
  outcome,
  actor,
  evidence: EVIDENCE,
});

/** As declined, although the provider does not answer. */
export const aDeclinedOne = (actor = 'ann'): Resolution => ({
  ...aResolution('declined', actor),
  isProviderGone: true,
});

/** A payment world with one started payment. Its actions and reads are about that payment. */
export type StartedWorld = ReturnType<typeof startedWorld>;

type Handle = Awaited<ReturnType<PaymentWorld['start']>>;
type Work<World> = (world: World) => Promise<void>;
type PaymentOptions = WorldOptions & { readonly cents?: number };

export async function withPayment(
  ...given: [Work<StartedWorld>] | [PaymentOptions, Work<StartedWorld>]
): Promise<void> {
  const [{ cents, ...options }, work] =
    given.length === 1 ? [{} as PaymentOptions, given[0]] : given;
  await inPaymentWorld(options, async (world) => {
    const payment = await world.create(cents);
    await work(startedWorld(world, payment, await world.start(payment)));
  });
}

function startedWorld(world: PaymentWorld, payment: PaymentStart, workflow: Handle) {
  const { intentId } = payment;
  const row = async () => {
    const [found] = await world.rows<{ status: string; attention: string | null; steps: string[] }>(
      `select i.status, ${OPEN_SENTENCES} as attention,
              array(select split_part(transfer_key, ':', 2) from ledger_transfers t
                     where t.intent_id = i.intent_id order by created_at) as steps
         from payment_intents i where intent_id = $1`,
      intentId,
    );
    return found;
  };
  return {
    ...{ ...world, payment, workflow },
    confirm: (jtiHash?: string) => world.confirm(payment, jtiHash),
    /** Confirms another payment, or this one by a token with another expiry. */
    confirmOf: world.confirm,
    cancel: () => workflow.executeUpdate(cancelUpdate),
    ...resolutionsOf(world, intentId, workflow),
    /** Confirms, and lets time pass until an unknown outcome has raised attention. */
    confirmUntilUnknown: () => world.confirmAndWait(payment, '20 minutes'),
    /** Allows payouts, and signals the workflow to resume, as the workflow repairer does. */
    allow: async () => {
      await allowPayouts(world.database, { ...ANN, isAfterRestore: true });
      await remindPayment(world.environment.client, payment).catch((error: unknown) => {
        if (!hasCompleted(error)) throw error;
      });
    },
    stop: (kind: 'operator' | 'restore') =>
      createPayoutStops(world.database).stop({ ...ANN, kind }),
    /** Reads status and attention of the row, and the steps that moved money. */
    row,
    isStatus: (status: string) => until(async () => (await row())?.status === status, SOON),
    /** Reads the audit trail. */
    trail: () =>
      world.rows(
        `select to_status as to, actor, reason from intent_transitions
          where intent_id = $1 order by at`,
        intentId,
      ),
  };
}

/** Polls the workflow repairer once, as each worker does every few seconds. */
export function pollRepairer({ environment, database, intents }: StartedWorld): Promise<number> {
  return createWorkflowRepairer({
    client: environment.client,
    payments: createPaymentClaims(database, INSTALLATION.id),
    rows: createLostCommits(database),
    rechecks: createPayoutRechecks(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  }).poll();
}

function resolutionsOf(
  { database }: PaymentWorld,
  intentId: PaymentStart['intentId'],
  workflow: Handle,
) {
  const requestResolution = (resolution: Resolution) =>
    workflow.executeUpdate(resolvePayoutUpdate, { args: [resolution] });
  return {
    /** As `payctl` does. */
    resolve: async (resolution: Resolution) => {
      await recordResolution(database, intentId, resolution);
      return requestResolution(resolution);
    },
    /** The same for two operators at the same moment. */
    resolveBoth: async (...both: readonly [Resolution, Resolution]) => {
      for (const one of both) await recordResolution(database, intentId, one);
      return Promise.all(both.map(requestResolution));
    },
    /** Requests a resolution that no `payctl` has recorded. */
    requestResolution,
  };
}

/** A payment with attention raised: the provider is silent until the test pushes more answers. */
export function withUnknownPayment(
  options: WorldOptions,
  work: (world: StartedWorld, provider: ScriptedAnswer[]) => Promise<void>,
): Promise<void> {
  const provider: ScriptedAnswer[] = ['unknown'];
  return withPayment({ ...options, provider }, async (world) => {
    await world.confirmUntilUnknown();
    await work(world, provider);
  });
}

/**
 * A confirmed payment during a stop. The work begins once its workflow has waited longer than an
 * attempt may take.
 */
export function whileDelayed(
  provider: ScriptedAnswer[],
  work: Work<StartedWorld>,
  options: WorldOptions = {},
): Promise<void> {
  return onceDelayed(
    provider,
    async (world) => {
      await world.environment.sleep('20 seconds');
      await work(world);
    },
    options,
  );
}

/** The same, but the work begins once the workflow waits. */
export async function onceDelayed(
  provider: ScriptedAnswer[],
  work: Work<StartedWorld>,
  options: WorldOptions = {},
) {
  await withPayment({ ...options, provider }, async (world) => {
    await world.stop('operator');
    const confirming = world.confirm();
    if (!(await until(() => isWaitingForPayouts(world.workflow), SOON)))
      throw new Error('the workflow does not wait for the stop to end');
    await work(world);
    await confirming;
  });
}
