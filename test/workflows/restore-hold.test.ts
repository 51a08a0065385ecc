// While payouts are stopped for a restore nothing expires and nothing is cancelled; afterwards the provider is asked before a row that
// is older than the stop ends unpaid (decision 127). Under time skipping.
import { until } from '../../src/dev/until';
import type { PaymentActivities } from '../../activities';
import { reconcile } from '../../src/ops/ledger/reconcile/reconcile';
import { recordEnvironment } from '../../src/postgres/service-environment';
import { cancelUpdate } from '../../workflows/messages/messages';
import { inPieces, jsonLines, lineOf } from '../ops/ledger/reconcile-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { SOON, withPayment, type StartedWorld } from './started-payment';

/** A cancel that queries the provider waits 6 s by the real clock first. */
const LONG_TEST_MS = 90_000;
const NEVER_CONFIRMED = expect.stringContaining('was never confirmed') as unknown;

/** A created payment, and then a stop for a restore. */
function inStop(provider: ScriptedAnswer[], work: (world: StartedWorld) => Promise<void>) {
  return withPayment({ provider }, async (world) => {
    await world.stop('restore');
    await work(world);
  });
}

/** What readers see at the instant that the skipping server has reached. */
async function seen({ intents, payment, setClock }: StartedWorld) {
  await setClock();
  return (await intents.find(payment.intentId))?.status;
}

it('past the deadline nothing is written, and readers say created', () =>
  inStop(['not_found'], async (world) => {
    await world.environment.sleep('2 hours');
    await expect(world.row()).resolves.toMatchObject({ status: 'created' });
    await expect(seen(world)).resolves.toBe('created');
  }));

it('once payouts are allowed it expires when the provider has no such payout', () =>
  inStop(['not_found'], async (world) => {
    await world.environment.sleep('2 hours');
    await world.allow();
    await expect(seen(world)).resolves.toBe('created');
    await expect(world.run.result()).resolves.toBe('expired');
    expect(world.sent).toEqual([]);
  }));

it.each(['paid', 'pending', 'unknown'] as const)(
  'an intent does not expire while the provider says %s, and needs attention',
  (said) =>
    inStop([said], async (world) => {
      await world.allow();
      await world.environment.sleep('3 hours');
      const created = { status: 'created', attention: NEVER_CONFIRMED };
      await expect(world.row()).resolves.toMatchObject(created);
    }),
);

it('a cancel changes nothing during the stop, and is carried out after the provider was asked', () =>
  inStop(['not_found'], async ({ allow, cancel, environment, passTimeUntil, row }) => {
    await expect(cancel()).resolves.toEqual({ status: 'created' });
    await expect(row()).resolves.toMatchObject({ status: 'created' });
    await allow();
    // Each question to the provider costs the workflow a part of the updates that Temporal takes of it.
    await expect(passTimeUntil(cancel())).rejects.toThrow('Workflow Update failed');
    await environment.sleep('31 s');
    await expect(passTimeUntil(cancel())).resolves.toEqual({ status: 'cancelled' });
  }));

it(
  'an authorized payment that the stop holds up is not cancelled either',
  () =>
    inStop(['not_found', 'not_found', 'paid'], async (world) => {
      const confirmed = world.confirm();
      await world.isStatus('authorized');
      // Refused by the guard until the payout is held up.
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
  { said: 'paid', answer: 'authorized', end: 'captured' },
  { said: 'not_found', answer: 'cancelled', end: 'cancelled' },
] as const)(
  'a cancel beside a confirm is carried out only where the provider has no payout: $said',
  async ({ said, answer, end }) => {
    const seen = { isConfirmed: false, isCancelLetIn: false };
    const wrap = (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      recordTransition(command) {
        if (command.event !== 'authorize') return activities.recordTransition(command);
        seen.isConfirmed = true;
        if (!seen.isCancelLetIn) throw new Error('Postgres does not answer yet');
        return activities.recordTransition(command);
      },
    });
    await withPayment({ provider: [said], wrap }, async (world) => {
      await world.rows('update payment_intents set must_query_provider = true');
      const confirmed = world.confirm();
      await until(() => seen.isConfirmed, SOON);
      const cancel = await world.run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
      seen.isCancelLetIn = true;
      await expect(world.passTimeUntil(cancel.result())).resolves.toEqual({ status: answer });
      await expect(confirmed).resolves.toEqual({ status: end });
      expect(world.sent).toEqual([]);
    });
  },
  LONG_TEST_MS,
);

it('a payment that is created during the stop is asked about before it is sent', () =>
  inStop(['paid'], async ({ allow, ...world }) => {
    const late = await world.create();
    await allow();
    await world.start(late);
    await expect(world.confirmOf(late)).resolves.toEqual({ status: 'captured' });
    // The provider had it already: it was paid before Postgres lost it.
    expect(world.sent).toEqual([]);
  }));

it('a payment that a statement has as paid does not expire before the provider was asked', () =>
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
    await expect(seen(world)).resolves.toBe('created');
  }));
