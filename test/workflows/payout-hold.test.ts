// A payment whose payout was not begun when all payouts were stopped (decision 127): it waits, and can be cancelled or declared,
// but gives nothing back that the provider does not deny.
import { allowPayouts } from '../../src/postgres/payout-stops';
import { BY_OPERATIONS, cancelUpdate, resumeSignal } from '../../workflows/messages';
import type { PaymentWorld } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/scripted-provider';
import { shownInUi } from '../support/temporal-ui';
import { declared, endingOf, resolver } from './declarations';
import { ANN, onceHeld, whileHeld, type Held } from './held-payment';
import { move } from '../support/builders';

const allow = ({ database }: PaymentWorld) =>
  allowPayouts(database, { ...ANN, isAfterRestore: true });
const cancel = ({ run }: Held) => run.executeUpdate(cancelUpdate);
const inHold = (
  provider: ScriptedAnswer[],
  work: (world: PaymentWorld, held: Held) => Promise<void>,
) => whileHeld({ provider }, work);

const UNTOUCHED = { status: 'authorized', attention_reason: null, steps: ['debit'] };
const CAPTURED = { status: 'captured', attention_reason: null, steps: ['debit', 'capture'] };
const released = (status: string) => ({
  status,
  attention_reason: null,
  steps: ['debit', 'release'],
});

it('sends nothing until payouts are allowed, and then once', async () => {
  await inHold(['not_found', 'paid'], async (world, { run }) => {
    await world.environment.sleep('20 minutes');
    expect(world.sent).toEqual([]);
    await expect(endingOf(world)).resolves.toEqual(UNTOUCHED);
    await expect(shownInUi(run)).resolves.toMatchObject({
      currentDetails:
        'Payouts are stopped, and this one was not begun. `payctl payouts show` says why.',
    });
    await allow(world);
    await expect(run.result()).resolves.toBe('captured');
    expect(world.sent).toHaveLength(1);
    await expect(endingOf(world)).resolves.toEqual(CAPTURED);
  });
});

it('adds nothing to its history while it waits', async () => {
  await inHold(['paid'], async (world, { run }) => {
    const length = async () => (await run.describe()).historyLength;
    const before = await length();
    await world.environment.sleep('20 minutes');
    await expect(length()).resolves.toBe(before);
    await allow(world);
    await run.result();
  });
});

it.each(['not_found', 'declined'] as const)(
  'is cancelled by its partner where the provider says %s, and nothing is sent afterwards',
  async (said) => {
    await inHold([said], async (world, held) => {
      await expect(cancel(held)).resolves.toEqual({ status: 'cancelled' });
      await allow(world);
      await expect(held.run.result()).resolves.toBe('cancelled');
      expect(world.sent).toEqual([]);
      await expect(endingOf(world)).resolves.toEqual(released('cancelled'));
    });
  },
);

it.each(['paid', 'pending', 'unknown'] as const)(
  'is not cancelled where the provider says %s: a restored database may have forgotten that it was sent',
  async (said) => {
    const provider: ScriptedAnswer[] = [said];
    await inHold(provider, async (world, held) => {
      await expect(cancel(held)).resolves.toEqual({ status: 'authorized' });
      await expect(endingOf(world)).resolves.toEqual(UNTOUCHED);
      provider.splice(0, 1, 'paid');
      await world.environment.sleep('1 minute');
      await allow(world);
      await expect(held.run.result()).resolves.toBe('captured');
      expect(world.sent).toEqual([]);
    });
  },
);

it('gives nothing back before whatever may have been on its way has landed', async () => {
  const wish = { provider: ['not_found'] as ScriptedAnswer[] };
  await onceHeld(wish, async (world, { payment, run }) => {
    const cancelling = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
    const declaring = resolver(world, payment)(declared('declined'));
    await world.environment.sleep('12 seconds');
    await expect(endingOf(world)).resolves.toEqual(UNTOUCHED);
    await world.environment.sleep('4 seconds');
    await expect(cancelling.result()).resolves.toEqual({ status: 'cancelled' });
    await expect(declaring).resolves.toEqual({
      status: 'cancelled',
      refusal: 'The payout has been decided already.',
    });
  });
});

it('is asked about when a cancel finds that it was begun all the same, by a worker that woke up late', async () => {
  const provider: ScriptedAnswer[] = ['not_found'];
  await inHold(provider, async (world, held) => {
    await world.database.query({
      text: `insert into payouts (intent_id, status, attempts, first_sent_at, last_sent_at)
             values ($1, 'sent', 1, service_now(), service_now())`,
      values: [held.payment.intentId],
    });
    await expect(cancel(held)).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'paid');
    await expect(held.run.result()).resolves.toBe('captured');
    expect(world.sent).toEqual([]);
  });
});

it('is cancelled by a later cancel, once the provider answers again', async () => {
  const provider: ScriptedAnswer[] = ['unknown'];
  await inHold(provider, async (world, held) => {
    await expect(cancel(held)).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'not_found');
    await expect(cancel(held)).rejects.toMatchObject({ cause: { type: 'IntentNotOpen' } });
    await world.environment.sleep('30 seconds');
    await expect(cancel(held)).resolves.toEqual({ status: 'cancelled' });
    await expect(endingOf(world)).resolves.toEqual(released('cancelled'));
  });
});

it('declared declined, it fails without having been sent', async () => {
  const provider: ScriptedAnswer[] = ['not_found'];
  await inHold(provider, async (world, { payment, run }) => {
    const reply = await resolver(world, payment)(declared('declined'));
    expect(reply).toEqual({ status: 'failed', refusal: null });
    provider.splice(0, 1, 'declined');
    await expect(run.result()).resolves.toBe('failed');
    expect(world.sent).toEqual([]);
    await expect(endingOf(world)).resolves.toEqual(released('failed'));
  });
});

it('is not declared declined while the provider is silent, unless that is gone', async () => {
  const provider: ScriptedAnswer[] = ['unknown'];
  await inHold(provider, async (world, { payment }) => {
    const resolve = resolver(world, payment);
    const { status, refusal } = await resolve(declared('declined'));
    expect([status, refusal]).toEqual([
      'authorized',
      expect.stringContaining('The provider does not answer, and the row knows of no payout'),
    ]);
    const overriding = { ...declared('declined'), isProviderGone: true };
    await expect(resolve(overriding)).resolves.toEqual({ status: 'failed', refusal: null });
  });
});

it('declared declined, it is asked about first', async () => {
  await inHold(['paid'], async (world, { payment, run }) => {
    const resolve = resolver(world, payment);
    const refusal = 'The provider says paid.';
    await expect(resolve(declared('declined'))).resolves.toEqual({ status: 'authorized', refusal });
    await expect(endingOf(world)).resolves.toEqual(UNTOUCHED);
    await allow(world);
    await expect(run.result()).resolves.toBe('captured');
    expect(world.sent).toEqual([]);
  });
});

it('is not declared paid: of what was not begun the provider is asked once payouts are allowed', async () => {
  await inHold(['paid'], async (world, { payment, run }) => {
    await expect(resolver(world, payment)(declared('paid'))).resolves.toEqual({
      status: 'authorized',
      refusal:
        'Payouts are stopped, and its row knows of none. Once they are allowed, the provider is asked about it, and it is captured if it was paid.',
    });
    await expect(endingOf(world)).resolves.toEqual(UNTOUCHED);
    await allow(world);
    await expect(run.result()).resolves.toBe('captured');
  });
});

it('looks at its row again when operations say so', async () => {
  await inHold(['paid'], async (world, { payment: { intentId }, run }) => {
    await move(world, intentId, 'fail', { actor: 'ann' });
    await run.signal(resumeSignal, BY_OPERATIONS);
    await expect(run.result()).resolves.toBe('failed');
    expect(world.sent).toEqual([]);
  });
});

it('of a cancel and a declaration at once one is carried out, and both are answered', async () => {
  await inHold(['not_found'], async (world, held) => {
    const [cancelled, resolved] = await Promise.all([
      cancel(held),
      resolver(world, held.payment)(declared('declined')),
    ]);
    const { status } = (await endingOf(world)) as { readonly status: string };
    expect([
      { status: 'cancelled', refusal: 'The payout has been decided already.' },
      { status: 'failed', refusal: null },
    ]).toContainEqual(resolved);
    expect(resolved.status).toBe(status);
    expect([status, 'authorized']).toContain(cancelled.status);
  });
});

it('waits for no cancel and no declaration once payouts are allowed', async () => {
  await inHold(['paid'], async (world, held) => {
    await allow(world);
    await expect(held.run.result()).resolves.toBe('captured');
    await expect(cancel(held)).rejects.toThrow(/completed|not found/i);
    await expect(resolver(world, held.payment)(declared('declined'))).rejects.toThrow(
      /completed|not found/i,
    );
  });
});
