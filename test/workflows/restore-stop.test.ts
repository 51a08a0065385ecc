// During a stop for a restore nothing expires and nothing is cancelled. Afterwards the provider is
// queried before a row older than the stop expires or is cancelled (decision 127).
import { until } from '../../src/dev/until';
import type { PaymentActivities } from '../../activities';
import { reconcile } from '../../src/ops/ledger/reconcile/reconcile';
import { recordEnvironment } from '../../src/postgres/service-environment';
import { cancelUpdate } from '../../workflows/messages/messages';
import { inPieces, jsonLines, lineOf } from '../ops/ledger/reconcile-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { SOON, withPayment, type StartedWorld } from './started-payment';

/** A cancel that queries the provider first waits 6 s of real time. */
const LONG_TEST_MS = 90_000;
const NEVER_CONFIRMED = expect.stringContaining('was never confirmed') as unknown;

/** A created payment, then a stop for a restore. */
function duringStop(provider: ScriptedAnswer[], work: (world: StartedWorld) => Promise<void>) {
  return withPayment({ provider }, async (world) => {
    await world.stop('restore');
    await work(world);
  });
}

/** The status that readers see at the time of the time-skipping server. */
async function statusSeen({ intents, payment, setClock }: StartedWorld) {
  await setClock();
  return (await intents.find(payment.intentId))?.status;
}

it('an intent stays created past its deadline during the stop, for readers too', () =>
  duringStop(['not_found'], async (world) => {
    await world.environment.sleep('2 hours');
    await expect(world.row()).resolves.toMatchObject({ status: 'created' });
    await expect(statusSeen(world)).resolves.toBe('created');
  }));

it('an intent expires after the stop if the provider does not know the payout', () =>
  duringStop(['not_found'], async (world) => {
    await world.environment.sleep('2 hours');
    await world.allow();
    await expect(statusSeen(world)).resolves.toBe('created');
    await expect(world.workflow.result()).resolves.toBe('expired');
    expect(world.sent).toEqual([]);
  }));

it('an intent expires at the first confirm after the stop, if not before', () =>
  duringStop(['not_found'], async (world) => {
    // By now a try to expire is ten minutes after the one before.
    await world.environment.sleep('4 hours');
    await world.allow();
    await world.confirm();
    await world.environment.sleep('10 s');
    await expect(world.row()).resolves.toMatchObject({ status: 'expired' });
  }));

it.each(['paid', 'pending', 'unknown'] as const)(
  'an intent does not expire while the provider answers %s, and needs attention',
  (answer) =>
    duringStop([answer], async (world) => {
      await world.allow();
      await world.environment.sleep('3 hours');
      const created = { status: 'created', attention: NEVER_CONFIRMED };
      await expect(world.row()).resolves.toMatchObject(created);
    }),
);

it('a cancel changes nothing during the stop, and is written after a query to the provider', () =>
  duringStop(['not_found'], async ({ allow, cancel, environment, passTimeUntil, row }) => {
    await expect(cancel()).resolves.toEqual({ status: 'created' });
    await expect(row()).resolves.toMatchObject({ status: 'created' });
    await allow();
    // The next cancel is accepted 30 s later: Temporal limits the updates of a workflow.
    await expect(passTimeUntil(cancel())).rejects.toThrow('Workflow Update failed');
    await environment.sleep('31 s');
    await expect(passTimeUntil(cancel())).resolves.toEqual({ status: 'cancelled' });
  }));

it(
  'an authorized payment is not cancelled during the stop either',
  () =>
    duringStop(['not_found', 'not_found', 'not_found', 'paid'], async (world) => {
      const confirmed = world.confirm();
      await world.isStatus('authorized');
      // The validator rejects a cancel until the workflow waits for the end of the stop.
      const cancel = () =>
        world.cancel().then(
          ({ status }) => status === 'authorized',
          () => false,
        );
      await expect(world.passTimeUntil(until(cancel, { timeoutMs: 40_000 }))).resolves.toBe(true);
      await expect(world.row()).resolves.toMatchObject({ status: 'authorized' });
      await world.allow();
      await world.environment.sleep('2 minutes');
      await expect(confirmed).resolves.toEqual({ status: 'captured' });
      expect(world.sent).toHaveLength(1);
    }),
  LONG_TEST_MS,
);

it.each([
  { answer: 'paid', reply: 'authorized', status: 'captured' },
  { answer: 'not_found', reply: 'cancelled', status: 'cancelled' },
] as const)(
  'a cancel beside a confirm is written only if the provider does not know the payout: $answer',
  async ({ answer, reply, status }) => {
    const seen = { isConfirmed: false, isCancelAccepted: false };
    const wrap = (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      recordTransition(command) {
        if (command.event !== 'authorize') return activities.recordTransition(command);
        seen.isConfirmed = true;
        if (!seen.isCancelAccepted) throw new Error('Postgres does not answer yet');
        return activities.recordTransition(command);
      },
    });
    await withPayment({ provider: [answer], wrap }, async (world) => {
      await world.rows('update payment_intents set must_query_provider = true');
      const confirmed = world.confirm();
      await until(() => seen.isConfirmed, SOON);
      const cancel = await world.workflow.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
      seen.isCancelAccepted = true;
      await expect(world.passTimeUntil(cancel.result())).resolves.toEqual({ status: reply });
      await expect(confirmed).resolves.toEqual({ status });
      expect(world.sent).toEqual([]);
    });
  },
  LONG_TEST_MS,
);

it('a payment that is created during the stop is queried before it is sent', () =>
  duringStop(['paid'], async ({ allow, ...world }) => {
    const late = await world.create();
    await allow();
    await world.start(late);
    await expect(world.confirmOf(late)).resolves.toEqual({ status: 'captured' });
    // The provider has the payout: it was paid before Postgres lost the row.
    expect(world.sent).toEqual([]);
  }));

it('a payment that a statement lists as paid does not expire before a query to the provider', () =>
  withPayment({ provider: ['paid'] }, async (world) => {
    const { database, environment, payment } = world;
    await environment.sleep('20 minutes');
    const untilMs = await environment.currentTimeMs();
    await world.setClock();
    await recordEnvironment(database, 'sandbox');
    const line = lineOf(payment.intentId, {
      executed_at: new Date(untilMs - 600_000).toISOString(),
    });
    const { findings } = await reconcile(database, {
      bytes: inPieces(jsonLines([line])),
      ...{ name: 'statement.jsonl', actor: 'ann', onProgress: () => undefined },
      ...{ since: new Date(untilMs - 1_200_000), until: new Date(untilMs) },
    });
    expect(findings).toMatchObject([{ kind: 'paid_not_captured', status: 'created' }]);
    await environment.sleep('2 hours');
    await expect(world.row()).resolves.toMatchObject({ attention: NEVER_CONFIRMED });
    await expect(statusSeen(world)).resolves.toBe('created');
  }));
