// `payctl intents refund` (decision 16): in force when it returns, refused a second time, and never guessed while
// Temporal or its workers are away.
import type { PaymentActivities } from '../../activities';
import type { PaymentStart } from '../../src/domain/payment-start';
import type { IntentStory } from '../../src/ops/intent-story';
import { refundIntent } from '../../src/ops/refund-intent';
import { until } from '../../src/dev/until';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { runPayctl, expectRefused, jsonOf } from '../support/payctl';

async function captured(world: PaymentWorld): Promise<PaymentStart> {
  const payment = await world.create();
  await world.start(payment);
  await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
  return payment;
}

/** By a process of its own, as operations do. */
const refundByCommand = (world: PaymentWorld, intentId: string, ...more: readonly string[]) =>
  runPayctl(world, ['intents', 'refund', intentId, ...more], {
    TEMPORAL_ADDRESS: world.environment.address,
  });

/** The same in this process, with less patience. */
const refund = (world: PaymentWorld, intentId: string, { actor = 'ann', waitMs = 10_000 } = {}) =>
  refundIntent(
    {
      database: world.database,
      client: world.environment.client,
      deadline: AbortSignal.timeout(waitMs),
    },
    { intentId, actor, reason: null },
  );

const refundsIn = async ({ database }: PaymentWorld) => {
  const { rows } = await database.query({
    text: `select actor, reason from intent_transitions where to_status = 'refunded'`,
  });
  return rows;
};

/** Holds that activity still for the refund, before or after it has had its effect. */
function heldIn(when: 'before' | 'after') {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    release,
    wrap: (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      async recordTransition(command) {
        if (command.event !== 'refund') return activities.recordTransition(command);
        if (when === 'before') await released;
        const report = await activities.recordTransition(command);
        if (when === 'after') await released;
        return report;
      },
    }),
  };
}

it('refunds a captured payment, and says who and why in the audit trail', () =>
  inPaymentWorld(async (world) => {
    const { intentId } = await captured(world);
    const story = jsonOf(
      await refundByCommand(
        world,
        intentId,
        ...['--as', 'ann', '--reason', 'asked for by the payer', '--json'],
      ),
    ) as IntentStory;
    expect(story).toMatchObject({ intent_id: intentId, status: 'refunded' });
    expect(story).not.toHaveProperty('captured_at');
    await expect(refundsIn(world)).resolves.toEqual([
      { actor: 'ann', reason: 'asked for by the payer' },
    ]);
  }));

it('shows people where the money is, and refuses a second refund with whose the first was', () =>
  inPaymentWorld(async (world) => {
    const { intentId } = await captured(world);
    const first = await refundByCommand(world, intentId, '--as', 'ann');
    expect(first.code).toBe(0);
    expect(first.stdout).toContain(
      '12.50 USD are back in the holding account; the provider of th_qrpay owes them.',
    );
    const second = await refundByCommand(world, intentId, '--as', 'bob');
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toMatch(/was refunded by ann at .*nothing was moved now\.$/m);
    await expect(refundsIn(world)).resolves.toEqual([{ actor: 'ann', reason: null }]);
  }));

it('asked for ten times at once is done once, and the others are told so', () =>
  inPaymentWorld(async (world) => {
    const { intentId } = await captured(world);
    const actors = Array.from({ length: 10 }, (_, index) => `operator ${String(index)}`);
    const outcomes = await Promise.allSettled(
      actors.map((actor) => refund(world, intentId, { actor })),
    );
    const done = actors.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    expect(done).toHaveLength(1);
    await expect(refundsIn(world)).resolves.toEqual([{ actor: done[0], reason: null }]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => String(reason))).toEqual(
      Array.from({ length: 9 }, () => expect.stringContaining('was refunded by') as unknown),
    );
  }));

it('is refused with the status of a payment that is not captured, and for what is no intent', () =>
  inPaymentWorld(async (world) => {
    const { intentId } = await world.create();
    expectRefused(
      await refundByCommand(world, intentId),
      1,
      `Only a captured payment can be refunded, and ${intentId} is created. Nothing was moved.`,
    );
    await expect(refund(world, 'pi_nothing')).rejects.toThrow('is not an intent id');
    await expect(refund(world, `pi_${'0'.repeat(26)}`)).rejects.toThrow('There is no intent');
  }));

it('is refused where the ledger holds no capture, and points to the check', () =>
  inPaymentWorld(async (world) => {
    const { intentId } = await captured(world);
    await world.database.query({
      text: `delete from ledger_transfers where transfer_key = $1 || ':capture'`,
      values: [intentId],
    });
    await expect(refund(world, intentId)).rejects.toThrow('Run "payctl ledger check"');
    await expect(refundsIn(world)).resolves.toEqual([]);
  }));

it('says that it does not know, and no more, when no worker answers; a repeat finds what was done', async () => {
  const held = heldIn('before');
  await inPaymentWorld({ wrap: held.wrap }, async (world) => {
    const { intentId } = await captured(world);
    await expect(refund(world, intentId, { waitMs: 500 })).rejects.toThrow(
      /Temporal gave no answer .* is still captured\..*To repeat this command is safe/,
    );
    held.release();
    await until(async () => (await refundsIn(world)).length > 0, { timeoutMs: 20_000 });
    await expect(refund(world, intentId)).rejects.toThrow('was refunded by ann');
    await expect(refundsIn(world)).resolves.toHaveLength(1);
  });
});

it('reads its own refund from the row when only the answer was lost', async () => {
  const held = heldIn('after');
  await inPaymentWorld({ wrap: held.wrap }, async (world) => {
    const { intentId } = await captured(world);
    const refunding = refund(world, intentId, { waitMs: 1_500 });
    await expect(refunding).resolves.toMatchObject({ status: 'refunded' });
    held.release();
  });
});

it('says in a sentence that Temporal is away, and moves nothing', () =>
  inPaymentWorld(async (world) => {
    const { intentId } = await captured(world);
    expectRefused(
      await runPayctl(world, ['intents', 'refund', intentId], {
        TEMPORAL_ADDRESS: '127.0.0.1:1',
      }),
      1,
      /^payctl: Temporal gave no answer \(.*\), and pi_\w+ is still captured/,
    );
    await expect(refundsIn(world)).resolves.toEqual([]);
  }));
