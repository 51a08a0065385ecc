// "Late provider answers after operations resolved": what ended on somebody's word is compared for a day with what the provider
// says, whatever becomes of the payment's run (architecture, section 3, "Settlement", sweep (c)).
import type { PaymentActivities } from '../../activities';
import { until } from '../../src/dev/until';
import type { ResolvedOutcome } from '../../src/domain/intents/manual-resolution';
import { createPaymentClaims } from '../../src/postgres/intents/claims';
import { createPayoutRechecks } from '../../src/postgres/payouts/rechecks';
import { ensureRecheck } from '../../src/temporal/recheck-start';
import { createWorkflowRepairer } from '../../src/temporal/workflow-repairer';
import { recheckWorkflowId } from '../../workflows/messages/messages';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { SILENT } from '../support/silent-log';
import { shownInUi } from '../support/servers/temporal-ui';
import {
  declared,
  whileHeld,
  withPayment,
  withUnknownPayment,
  type StartedWorld,
} from '../workflows/started-payment';
import { createLostCommits } from '../../src/postgres/payouts/lost-commits';

const TEN_MINUTES_MS = 600_000;
const SOON = { timeoutMs: 10_000 };
const PAID_AFTER_ALL = 'Declared declined by operations, but the provider says paid.';
const NEVER_CONFIRMED = 'by operations, but the provider has not said so for a day.';

/** A payment that operations have declared to be that, and of which the provider, asked once, says nothing yet. */
function withDeclared(
  outcome: ResolvedOutcome,
  work: (world: StartedWorld, provider: ScriptedAnswer[]) => Promise<void>,
): Promise<void> {
  let ended = 0;
  const wrap = (activities: PaymentActivities): PaymentActivities => ({
    ...activities,
    recheckResolution: (payout) => activities.recheckResolution(payout).finally(() => (ended += 1)),
  });
  return withUnknownPayment({ wrap }, async (world, provider) => {
    await expect(world.resolve(declared(outcome))).resolves.toMatchObject({ rejection: null });
    await until(() => ended > 0, SOON);
    await work(world, provider);
  });
}

/** A payment that was cancelled since the provider had no payout of it. */
function withCancelled(
  work: (world: StartedWorld, provider: ScriptedAnswer[]) => Promise<void>,
): Promise<void> {
  const provider: ScriptedAnswer[] = ['not_found'];
  return whileHeld(provider, async (world) => {
    await world.cancel();
    await world.run.result();
    await work(world, provider);
  });
}

const comparisonOf = ({ environment, payment }: StartedWorld) =>
  environment.client.workflow.getHandle(recheckWorkflowId(payment.intentId));

function poll({ environment, database, intents }: StartedWorld): Promise<number> {
  return createWorkflowRepairer({
    client: environment.client,
    payments: createPaymentClaims(database),
    rows: createLostCommits(database),
    rechecks: createPayoutRechecks(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  }).poll();
}

async function standingIn({ rows }: StartedWorld): Promise<unknown> {
  const [standing] = await rows(
    `select status, attention_reason as attention, (select count(*) from pending_rechecks) as owed
       from payment_intents`,
  );
  return standing;
}

describe('when the run of the payment is gone', () => {
  it.each([
    ['declined', 'paid', 'failed', PAID_AFTER_ALL],
    [
      ...(['paid', 'declined', 'captured'] as const),
      'Declared paid by operations, but the provider says declined.',
    ],
    ['declined', 'declined', 'failed', null],
    ['paid', 'paid', 'captured', null],
  ] as const)(
    'declared %s, and the provider says %s in the end: %s, with attention where it contradicts',
    (outcome, said, status, attention) =>
      withDeclared(outcome, async (world, provider) => {
        await world.run.terminate('an operator');
        provider.splice(0, provider.length, said);
        await world.setClock(TEN_MINUTES_MS);
        await expect(poll(world)).resolves.toBe(1);
        await comparisonOf(world).result();
        await expect(standingIn(world)).resolves.toEqual({ status, attention, owed: 0 });
        const { needsAttention = false, currentDetails } = await shownInUi(comparisonOf(world));
        expect(needsAttention).toBe(attention !== null);
        expect(currentDetails).toContain(attention ?? 'if nothing speaks against it');
      }),
  );

  it('declared paid, and nothing said for a day: attention; the day is that of the declaration', () =>
    withDeclared('paid', async (world) => {
      await world.run.terminate('an operator');
      await world.environment.sleep('25 hours');
      await world.setClock();
      await poll(world);
      await comparisonOf(world).result();
      const attention = `Declared paid ${NEVER_CONFIRMED}`;
      await expect(standingIn(world)).resolves.toEqual({ status: 'captured', attention, owed: 0 });
    }));
});

describe('a payment that was cancelled because the provider said that it has no payout', () => {
  it.each([
    ['paid', 'attention', 'Cancelled as not paid out, but the provider says paid.'],
    ['pending', 'attention', 'Cancelled as not paid out, but the provider says pending.'],
    ['declined', 'nothing', null],
  ] as const)('and the provider says %s in the end: %s', (said, _raises, attention) =>
    withCancelled(async (world, provider) => {
      provider.splice(0, 1, said);
      await world.setClock();
      await expect(poll(world)).resolves.toBe(1);
      await comparisonOf(world).result();
      await expect(standingIn(world)).resolves.toEqual({ status: 'cancelled', attention, owed: 0 });
    }),
  );

  it.each(['not_found', 'unknown'] as const)(
    'is left in peace after a day of %s: that is no contradiction',
    (said) =>
      withCancelled(async (world, provider) => {
        provider.splice(0, 1, said);
        await poll(world);
        await expect(comparisonOf(world).result()).resolves.toBeNull();
        const left = { status: 'cancelled', attention: null, owed: 0 };
        await expect(standingIn(world)).resolves.toEqual(left);
      }),
  );

  it('is compared to no end where nothing is owed any more: its run completes', () =>
    withCancelled(async (world) => {
      await poll(world);
      // As a restored database has it, or a worker that died with its answer.
      await world.rows('delete from pending_rechecks');
      await expect(comparisonOf(world).result()).resolves.toBeNull();
      await expect(standingIn(world)).resolves.toMatchObject({ attention: null });
    }));

  it('is compared although its run goes on, which does not', () =>
    withPayment({ provider: ['not_found'] }, async (world) => {
      const owed = { ...world.payment, resolvedAs: 'cancelled' } as const;
      await ensureRecheck(world.environment.client, owed);
      const { status } = await comparisonOf(world).describe();
      expect(status.name).toBe('RUNNING');
      await comparisonOf(world).terminate('the test is over');
    }));
});

describe('while the run of the payment is open', () => {
  it('that run compares, and no other does', () =>
    withDeclared('declined', async (world, provider) => {
      await world.setClock(TEN_MINUTES_MS);
      await expect(poll(world)).resolves.toBe(1);
      await expect(comparisonOf(world).describe()).rejects.toThrow(/not found/i);
      provider.push('paid');
      await expect(world.run.result()).resolves.toBe('failed');
      const contradicted = { attention: PAID_AFTER_ALL, owed: 0 };
      await expect(standingIn(world)).resolves.toMatchObject(contradicted);
    }));

  it.each([
    ['paid', 'unknown', `Declared paid ${NEVER_CONFIRMED}`],
    ['declined', 'unknown', `Declared declined ${NEVER_CONFIRMED}`],
    ['declined', 'not_found', null],
  ] as const)('declared %s, a day of %s ends it', (outcome, says, attention) =>
    withDeclared(outcome, async (world, provider) => {
      provider.splice(0, 1, says);
      await world.run.result();
      await expect(standingIn(world)).resolves.toMatchObject({ attention, owed: 0 });
    }),
  );

  it('its worker dies with the answer: what contradicts stands in the row all the same', async () => {
    const died = { often: 0 };
    const wrap = (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      recheckResolution: async (payout) => {
        await activities.recheckResolution(payout);
        died.often += 1;
        throw new Error('the worker is gone');
      },
    });
    await withUnknownPayment({ wrap }, async (world, provider) => {
      await world.resolve(declared('declined'));
      provider.push('paid');
      await world.environment.sleep('10 minutes');
      await until(() => died.often > 0, SOON);
      expect(died.often).toBeGreaterThan(0);
      const contradicted = { attention: PAID_AFTER_ALL, owed: 0 };
      await expect(standingIn(world)).resolves.toMatchObject(contradicted);
      await world.run.terminate('the test is over');
    });
  });
});
