// A manually resolved payment is rechecked for a day against later provider answers, even if its
// own workflow is gone (architecture, section 3, "Settlement").
import type { PaymentActivities } from '../../activities';
import { until } from '../../src/dev/until';
import type { ResolvedOutcome } from '../../src/domain/intents/manual-resolution';
import { ensureRecheck } from '../../src/temporal/workflow-repairer';
import { recheckWorkflowId } from '../../workflows/messages/messages';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { shownInUi } from '../support/servers/temporal-ui';
import {
  aDeclinedOne,
  aResolution,
  pollRepairer,
  whileDelayed,
  withPayment,
  withUnknownPayment,
  type StartedWorld,
} from '../workflows/started-payment';
import { OPEN_SENTENCES } from '../support/payments/attention';

const TEN_MINUTES_MS = 600_000;
const SOON = { timeoutMs: 10_000 };
const PAID_AFTER_ALL = 'Resolved manually as declined, but the provider says paid.';
const NEVER_CONFIRMED = 'the provider has not confirmed it for a day.';

/** A payment that an operator has resolved, and whose provider has left one recheck open. */
function withResolved(
  outcome: ResolvedOutcome,
  work: (world: StartedWorld, provider: ScriptedAnswer[]) => Promise<void>,
): Promise<void> {
  let rechecks = 0;
  const wrap = (activities: PaymentActivities): PaymentActivities => ({
    ...activities,
    recheckResolution: (payout) =>
      activities.recheckResolution(payout).finally(() => (rechecks += 1)),
  });
  return withUnknownPayment({ wrap }, async (world, provider) => {
    const resolution = outcome === 'paid' ? aResolution(outcome) : aDeclinedOne();
    await expect(world.resolve(resolution)).resolves.toMatchObject({ rejection: null });
    await until(() => rechecks > 0, SOON);
    await work(world, provider);
  });
}

/** A payment that was cancelled because the provider had no payout for it. */
function withCancelled(
  work: (world: StartedWorld, provider: ScriptedAnswer[]) => Promise<void>,
): Promise<void> {
  const provider: ScriptedAnswer[] = ['not_found'];
  return whileDelayed(provider, async (world) => {
    await world.cancel();
    await world.workflow.result();
    await work(world, provider);
  });
}

const recheckOf = ({ environment, payment }: StartedWorld) =>
  environment.client.workflow.getHandle(recheckWorkflowId(payment.intentId));

async function readCurrentState({ rows }: StartedWorld): Promise<unknown> {
  const [state] = await rows(
    `select status, ${OPEN_SENTENCES} as attention,
            (select count(*) from pending_rechecks) as pending
       from payment_intents i`,
  );
  return state;
}

describe('when the workflow of the payment is gone', () => {
  it.each([
    ['declined', 'paid', 'failed', PAID_AFTER_ALL],
    [
      ...(['paid', 'declined', 'captured'] as const),
      'Resolved manually as paid, but the provider says declined.',
    ],
    ['declined', 'declined', 'failed', null],
    ['paid', 'paid', 'captured', null],
  ] as const)(
    'a payment resolved as %s whose provider finally answers %s is %s, with attention %p',
    (outcome, answer, status, attention) =>
      withResolved(outcome, async (world, provider) => {
        await world.workflow.terminate('an operator');
        provider.splice(0, provider.length, answer);
        await world.setClock(TEN_MINUTES_MS);
        await expect(pollRepairer(world)).resolves.toBe(1);
        await recheckOf(world).result();
        await expect(readCurrentState(world)).resolves.toEqual({ status, attention, pending: 0 });
        const { needsAttention = false, currentDetails } = await shownInUi(recheckOf(world));
        expect(needsAttention).toBe(attention !== null);
        expect(currentDetails).toContain(attention ?? 'Querying the provider for a day');
      }),
  );

  it('a payment resolved as paid needs attention a day after that without an answer', () =>
    withResolved('paid', async (world) => {
      await world.workflow.terminate('an operator');
      await world.environment.sleep('25 hours');
      await world.setClock();
      await pollRepairer(world);
      await recheckOf(world).result();
      const attention = `Resolved manually as paid, but ${NEVER_CONFIRMED}`;
      await expect(readCurrentState(world)).resolves.toEqual({
        status: 'captured',
        attention,
        pending: 0,
      });
    }));
});

describe('a payment that was cancelled because the provider had no payout', () => {
  it.each([
    ['paid', 'attention', 'Cancelled as not paid out, but the provider says paid.'],
    ['pending', 'attention', 'Cancelled as not paid out, but the provider says pending.'],
    ['declined', 'nothing', null],
  ] as const)('and whose provider finally answers %s raises %s', (answer, _raises, attention) =>
    withCancelled(async (world, provider) => {
      provider.splice(0, 1, answer);
      await world.setClock();
      await expect(pollRepairer(world)).resolves.toBe(1);
      await recheckOf(world).result();
      await expect(readCurrentState(world)).resolves.toEqual({
        status: 'cancelled',
        attention,
        pending: 0,
      });
    }),
  );

  it.each(['not_found', 'unknown'] as const)('raises no attention after a day of %s', (answer) =>
    withCancelled(async (world, provider) => {
      provider.splice(0, 1, answer);
      await pollRepairer(world);
      await expect(recheckOf(world).result()).resolves.toBeNull();
      const left = { status: 'cancelled', attention: null, pending: 0 };
      await expect(readCurrentState(world)).resolves.toEqual(left);
    }),
  );

  it('has its recheck workflow complete once its row of pending_rechecks is gone', () =>
    withCancelled(async (world) => {
      await pollRepairer(world);
      // As after a restore, or after a worker that died with the provider's answer.
      await world.rows('delete from pending_rechecks');
      await expect(recheckOf(world).result()).resolves.toBeNull();
      await expect(readCurrentState(world)).resolves.toMatchObject({ attention: null });
    }));

  it('is rechecked by a workflow of its own although the payment workflow is open', () =>
    withPayment({ provider: ['not_found'] }, async (world) => {
      const pending = { ...world.payment, resolvedAs: 'cancelled' } as const;
      await ensureRecheck(world.environment.client, pending);
      const { status } = await recheckOf(world).describe();
      expect(status.name).toBe('RUNNING');
      await recheckOf(world).terminate('the test is over');
    }));
});

describe('while the workflow of the payment is open', () => {
  it('only that workflow rechecks', () =>
    withResolved('declined', async (world, provider) => {
      await world.setClock(TEN_MINUTES_MS);
      await expect(pollRepairer(world)).resolves.toBe(1);
      await expect(recheckOf(world).describe()).rejects.toThrow(/not found/i);
      provider.push('paid');
      await expect(world.workflow.result()).resolves.toBe('failed');
      const contradicted = { attention: PAID_AFTER_ALL, pending: 0 };
      await expect(readCurrentState(world)).resolves.toMatchObject(contradicted);
    }));

  it.each([
    ['paid', 'unknown', `Resolved manually as paid, but ${NEVER_CONFIRMED}`],
    ['declined', 'unknown', `Resolved manually as declined, but ${NEVER_CONFIRMED}`],
    ['declined', 'not_found', null],
  ] as const)('resolved as %s, a day of %s ends the recheck', (outcome, answer, attention) =>
    withResolved(outcome, async (world, provider) => {
      provider.splice(0, 1, answer);
      await world.workflow.result();
      await expect(readCurrentState(world)).resolves.toMatchObject({ attention, pending: 0 });
    }),
  );

  it('a contradiction is in the row although the worker dies with the answer', async () => {
    const died = { count: 0 };
    const wrap = (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      recheckResolution: async (payout) => {
        await activities.recheckResolution(payout);
        died.count += 1;
        throw new Error('the worker is gone');
      },
    });
    await withUnknownPayment({ wrap }, async (world, provider) => {
      await world.resolve(aDeclinedOne());
      provider.push('paid');
      await world.environment.sleep('10 minutes');
      await until(() => died.count > 0, SOON);
      expect(died.count).toBeGreaterThan(0);
      const contradicted = { attention: PAID_AFTER_ALL, pending: 0 };
      await expect(readCurrentState(world)).resolves.toMatchObject(contradicted);
      await world.workflow.terminate('the test is over');
    });
  });
});
