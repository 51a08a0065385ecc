// While payouts are stopped for a restore nothing expires and nothing is cancelled; afterwards the provider is asked before a row that
// is older than the stop ends unpaid (decision 127). Under time skipping.
import { until } from '../../src/dev/until';
import type { PaymentActivities } from '../../activities';
import type { PaymentStart } from '../../src/domain/payment-start';
import { reconcile } from '../../src/ops/reconcile/reconcile';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payout-stops';
import { recordEnvironment } from '../../src/postgres/service-environment';
import { cancelUpdate } from '../../workflows/messages';
import { inPieces, jsonLines, lineOf } from '../ops/reconcile-world';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/scripted-provider';

/** A cancel that asks the provider waits 16 s by the real clock first. */
const LONG_TEST_MS = 90_000;

const ANN = { actor: 'ann', reason: 'put back' };

interface Stopped {
  readonly world: PaymentWorld;
  readonly payment: PaymentStart;
  readonly allow: () => Promise<unknown>;
}

/** A created payment, and then a stop for a restore. */
async function inStop(provider: ScriptedAnswer[], work: (stopped: Stopped) => Promise<void>) {
  await inPaymentWorld({ provider }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    await createPayoutStops(world.database).stop({ ...ANN, kind: 'restore' });
    const allow = () => allowPayouts(world.database, { ...ANN, isAfterRestore: true });
    await work({ world, payment, allow });
  });
}

const handleOf = ({ environment }: PaymentWorld, { intentId }: PaymentStart) =>
  environment.client.workflow.getHandle(intentId);
const seen = async ({ intents }: PaymentWorld, { intentId }: PaymentStart) =>
  (await intents.find(intentId))?.status;
const statusOf = async ({ intents }: PaymentWorld, { intentId }: PaymentStart) =>
  (await intents.standing(intentId)).status;

async function attentionOf({ database }: PaymentWorld, { intentId }: PaymentStart) {
  const { rows } = await database.query<{ readonly attention_reason: string | null }>({
    text: 'select attention_reason from payment_intents where intent_id = $1',
    values: [intentId],
  });
  return rows[0]?.attention_reason;
}

it('past the deadline nothing is written, and readers say created', () =>
  inStop(['not_found'], async ({ world, payment }) => {
    await world.environment.sleep('2 hours');
    await expect(statusOf(world, payment)).resolves.toBe('created');
    await world.setClock();
    await expect(seen(world, payment)).resolves.toBe('created');
  }));

it('once payouts are allowed it expires when the provider has no such payout', () =>
  inStop(['not_found'], async ({ world, payment, allow }) => {
    await world.environment.sleep('2 hours');
    await allow();
    await world.setClock();
    await expect(seen(world, payment)).resolves.toBe('created');
    await expect(handleOf(world, payment).result()).resolves.toBe('expired');
    expect(world.sent).toEqual([]);
  }));

it.each(['paid', 'pending', 'unknown'] as const)(
  'an intent does not expire while the provider says %s, and needs attention',
  (said) =>
    inStop([said], async ({ world, payment, allow }) => {
      await allow();
      await world.environment.sleep('3 hours');
      await expect(attentionOf(world, payment)).resolves.toContain('was never confirmed');
      await expect(statusOf(world, payment)).resolves.toBe('created');
    }),
);

it('a cancel changes nothing during the stop, and is carried out after the provider was asked', () =>
  inStop(['not_found'], async ({ world, payment, allow }) => {
    const run = handleOf(world, payment);
    await expect(run.executeUpdate(cancelUpdate)).resolves.toEqual({ status: 'created' });
    await expect(statusOf(world, payment)).resolves.toBe('created');
    await allow();
    // Each question to the provider costs the workflow a part of the updates that Temporal takes of it.
    const refused = world.passTimeUntil(run.executeUpdate(cancelUpdate));
    await expect(refused).rejects.toThrow('Workflow Update failed');
    await world.environment.sleep('31 s');
    const cancelled = world.passTimeUntil(run.executeUpdate(cancelUpdate));
    await expect(cancelled).resolves.toEqual({ status: 'cancelled' });
  }));

it(
  'an authorized payment that the stop holds up is not cancelled either',
  () =>
    inStop(['not_found', 'not_found', 'paid'], async ({ world, payment, allow }) => {
      const confirmed = world.confirm(payment);
      await until(async () => (await statusOf(world, payment)) === 'authorized', {
        timeoutMs: 20_000,
      });
      // Refused by the guard until the payout is held up.
      const cancel = () =>
        handleOf(world, payment)
          .executeUpdate(cancelUpdate)
          .then(
            ({ status }) => status === 'authorized',
            () => false,
          );
      await expect(world.passTimeUntil(until(cancel, { timeoutMs: 40_000 }))).resolves.toBe(true);
      await expect(statusOf(world, payment)).resolves.toBe('authorized');
      await allow();
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
    await inPaymentWorld({ provider: [said], wrap }, async (world) => {
      const payment = await world.create();
      const { intentId } = payment;
      await world.start(payment);
      await world.database.query({
        text: 'update payment_intents set must_ask_provider = true where intent_id = $1',
        values: [intentId],
      });
      const confirmed = world.confirm(payment);
      await until(() => Promise.resolve(seen.isConfirmed), { timeoutMs: 20_000 });
      const run = handleOf(world, payment);
      const cancel = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
      seen.isCancelLetIn = true;
      await expect(world.passTimeUntil(cancel.result())).resolves.toEqual({ status: answer });
      await expect(confirmed).resolves.toEqual({ status: end });
      expect(world.sent).toEqual([]);
    });
  },
  LONG_TEST_MS,
);

it('a payment that is created during the stop is asked about before it is sent', () =>
  inStop(['paid'], async ({ world, allow }) => {
    const late = await world.create();
    await allow();
    await world.start(late);
    await expect(world.confirm(late)).resolves.toEqual({ status: 'captured' });
    // The provider had it already: it was paid before Postgres lost it.
    expect(world.sent).toEqual([]);
  }));

it('a payment that a statement has as paid does not expire before the provider was asked', () =>
  inPaymentWorld({ provider: ['paid'] }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    await world.environment.sleep('20 minutes');
    const untilMs = await world.environment.currentTimeMs();
    await world.setClock();
    await recordEnvironment(world.database, 'sandbox');
    const { findings } = await reconcile(world.database, {
      bytes: inPieces(
        jsonLines([
          lineOf(payment.intentId, { executed_at: new Date(untilMs - 600_000).toISOString() }),
        ]),
      ),
      ...{ name: 'statement.jsonl', actor: 'ann', onProgress: () => undefined },
      ...{ since: new Date(untilMs - 1_200_000), until: new Date(untilMs) },
    });
    expect(findings).toMatchObject([{ kind: 'paid_not_captured', status: 'created' }]);
    await world.environment.sleep('2 hours');
    await expect(attentionOf(world, payment)).resolves.toContain('was never confirmed');
    await world.setClock();
    await expect(seen(world, payment)).resolves.toBe('created');
  }));
