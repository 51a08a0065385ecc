// What operations declare about an unknown payout (architecture, section 3, "Messages" and "Settlement"; section 7,
// `intents resolve`).
import { until } from '../../src/dev/until';
import { checkLedger } from '../../src/postgres/ledger-check';
import { createPayoutStops } from '../../src/postgres/payout-stops';
import { BY_OPERATIONS, resumeSignal } from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { anUnknownPayment, declared, endingOf, EVIDENCE, resolver } from './declarations';

type Answers = NonNullable<WorldOptions['provider']>;

async function lastTransition(world: PaymentWorld) {
  const { rows } = await world.database.query({
    text: 'select to_status, actor, reason from intent_transitions order by at desc limit 1',
  });
  return rows[0];
}

describe('operations declare the outcome of an unknown payout', () => {
  it('paid: captured, with who and why in the audit trail', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ provider }, async (world) => {
      const { run, resolve } = await anUnknownPayment(world);
      await expect(resolve(declared('paid'))).resolves.toEqual({
        status: 'captured',
        refusal: null,
      });
      provider.push('paid');
      await expect(lastTransition(world)).resolves.toEqual({
        to_status: 'captured',
        actor: 'ann',
        reason: `resolved: ${EVIDENCE}`,
      });
      await expect(run.result()).resolves.toBe('captured');
      await expect(endingOf(world)).resolves.toEqual({
        status: 'captured',
        attention_reason: null,
        steps: ['debit', 'capture'],
      });
    });
  });

  it('declined: failed, and the debit given back', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ provider }, async (world) => {
      const { run, resolve } = await anUnknownPayment(world);
      await expect(resolve(declared('declined'))).resolves.toEqual({
        status: 'failed',
        refusal: null,
      });
      provider.push('declined');
      await expect(run.result()).resolves.toBe('failed');
      await expect(endingOf(world)).resolves.toEqual({
        status: 'failed',
        attention_reason: null,
        steps: ['debit', 'release'],
      });
    });
  });

  it.each(['paid', 'pending'] as const)(
    'declined is refused while a fresh question says %s, and nothing moves',
    async (said) => {
      const provider: Answers = ['unknown'];
      await inPaymentWorld({ provider, wrap: freshlyAsked(said) }, async (world) => {
        const { resolve } = await anUnknownPayment(world);
        await expect(resolve(declared('declined'))).resolves.toEqual({
          status: 'authorized',
          refusal: `The provider says ${said}.`,
        });
        await expect(endingOf(world)).resolves.toMatchObject({
          status: 'authorized',
          steps: ['debit'],
        });
      });
    },
  );

  it('is refused while the payment does not wait for operations', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      await world.start(payment);
      const refused = resolver(world, payment)(declared('declined'));
      await expect(refused).rejects.toMatchObject({ cause: { type: 'NotWaitingForOperations' } });
    }));

  it('of two contrary declarations at once the first counts, and the other is told so', () =>
    inPaymentWorld({ provider: ['unknown'] }, async (world) => {
      const { resolve } = await anUnknownPayment(world);
      const replies = await Promise.all([
        resolve(declared('paid', 'ann')),
        resolve(declared('declined', 'bob')),
      ]);
      const [accepted, ...others] = replies.filter(({ refusal }) => refusal === null);
      expect(others).toEqual([]);
      await expect(endingOf(world)).resolves.toMatchObject({ status: accepted?.status });
      const refusals = replies.flatMap(({ refusal }) => refusal ?? []);
      expect(refusals).toEqual(['The payout has been decided already.']);
    }));

  it('declined is refused where the row has forgotten that it was sent, which the run knows', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ provider }, async (world) => {
      const { resolve } = await anUnknownPayment(world);
      // As a restored database, and payouts are stopped until people have compared.
      await createPayoutStops(world.database).stop({
        actor: 'ann',
        reason: 'restored',
        kind: 'restore',
      });
      await world.database.query({ text: 'delete from payouts' });
      provider.splice(0, 1, 'not_found');
      await expect(resolve(declared('declined'))).resolves.toEqual({
        status: 'authorized',
        refusal:
          'This run has sent the payout, and its row does not know of it: a database was restored. See docs/restore.md.',
      });
      await expect(endingOf(world)).resolves.toMatchObject({ steps: ['debit'] });
      await expect(resolve(declared('paid'))).resolves.toEqual({
        status: 'captured',
        refusal: null,
      });
      const checks = await checkLedger(world.database, () => undefined);
      expect(checks.filter(({ violations }) => violations > 0)).toEqual([]);
    });
  });

  it('settles a contrary amount as paid, which never resolves itself', () =>
    inPaymentWorld(
      {
        wrap: (activities) => ({ ...activities, payOut: () => Promise.resolve(CONTRARY) }),
      },
      async (world) => {
        const payment = await world.create();
        await world.start(payment);
        await expect(world.confirm(payment)).resolves.toEqual({ status: 'authorized' });
        await expect(resolver(world, payment)(declared('paid'))).resolves.toEqual({
          status: 'captured',
          refusal: null,
        });
      },
    ));

  it('asks about a contrary amount again only when people say so, not when it is reminded', async () => {
    let asked = 0;
    const contrary = () => {
      asked += 1;
      return Promise.resolve(CONTRARY);
    };
    const wrap: WorldOptions['wrap'] = (activities) => ({ ...activities, payOut: contrary });
    await inPaymentWorld({ wrap }, async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await world.confirm(payment);
      await run.signal(resumeSignal);
      await world.environment.sleep('1 hour');
      expect(asked).toBe(1);
      await run.signal(resumeSignal, BY_OPERATIONS);
      await until(() => asked === 2, { timeoutMs: 10_000 });
      expect(asked).toBe(2);
    });
  });

  it('is contradicted by a late answer: attention again, and nothing overwritten', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ provider }, async (world) => {
      const { run, resolve } = await anUnknownPayment(world);
      await resolve(declared('declined'));
      provider.push('paid');
      await expect(run.result()).resolves.toBe('failed');
      await expect(endingOf(world)).resolves.toEqual({
        status: 'failed',
        attention_reason: 'Declared declined by operations, but the provider says paid.',
        steps: ['debit', 'release'],
      });
    });
  });

  it('is not waited for any longer when the provider tells first', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ provider }, async (world) => {
      const { run, resolve } = await anUnknownPayment(world);
      provider.push('paid');
      await expect(run.result()).resolves.toBe('captured');
      await expect(resolve(declared('declined'))).rejects.toThrow(/completed|not found/i);
      await expect(endingOf(world)).resolves.toMatchObject({ steps: ['debit', 'capture'] });
    });
  });
});

const CONTRARY = { outcome: 'contrary', reportedUsdCents: 1 } as const;

/** The slow asking learns nothing; only the fresh question of a resolution does. */
function freshlyAsked(said: 'paid' | 'pending'): NonNullable<WorldOptions['wrap']> {
  return (activities) => ({
    ...activities,
    judgeResolution: () =>
      Promise.resolve({ refusal: `The provider says ${said}.`, payoutAttempts: null }),
  });
}
