// A payment whose payout was not begun when all payouts were stopped (decision 127): it waits, and can be cancelled or declared,
// but gives nothing back that the provider does not deny.
import { BY_OPERATIONS, cancelUpdate, resumeSignal } from '../../workflows/messages/messages';
import { move } from '../support/builders';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { shownInUi } from '../support/servers/temporal-ui';
import { declared, onceHeld, whileHeld, type StartedWorld } from './started-payment';

const UNTOUCHED = { status: 'authorized', attention: null, steps: ['debit'] };
const CAPTURED = { status: 'captured', attention: null, steps: ['debit', 'capture'] };
const released = (status: string) => ({ status, attention: null, steps: ['debit', 'release'] });
const DECIDED = 'The payout has been decided already.';

/** Payouts are allowed, and the payment is captured without having been sent: the provider had it. */
async function expectCapturedUnsent({ allow, run, sent }: StartedWorld): Promise<void> {
  await allow();
  await expect(run.result()).resolves.toBe('captured');
  expect(sent).toEqual([]);
}

it('sends nothing until payouts are allowed, adds nothing to its history meanwhile, and then sends once', () =>
  whileHeld(['not_found', 'paid'], async (world) => {
    const { run, row } = world;
    const length = async () => (await run.describe()).historyLength;
    const before = await length();
    await world.environment.sleep('20 minutes');
    await expect(length()).resolves.toBe(before);
    expect(world.sent).toEqual([]);
    await expect(row()).resolves.toEqual(UNTOUCHED);
    await expect(shownInUi(run)).resolves.toMatchObject({
      currentDetails:
        'Payouts are stopped, and this one was not begun. `payctl payouts show` says why.',
    });
    await world.allow();
    await expect(run.result()).resolves.toBe('captured');
    expect(world.sent).toHaveLength(1);
    await expect(row()).resolves.toEqual(CAPTURED);
  }));

it.each(['not_found', 'declined'] as const)(
  'is cancelled by its partner where the provider says %s, and nothing is sent afterwards',
  (said) =>
    whileHeld([said], async ({ cancel, allow, run, sent, row }) => {
      await expect(cancel()).resolves.toEqual({ status: 'cancelled' });
      await allow();
      await expect(run.result()).resolves.toBe('cancelled');
      expect(sent).toEqual([]);
      await expect(row()).resolves.toEqual(released('cancelled'));
    }),
);

it.each(['paid', 'pending', 'unknown'] as const)(
  'is not cancelled where the provider says %s: a restored database may have forgotten that it was sent',
  async (said) => {
    const provider: ScriptedAnswer[] = [said];
    await whileHeld(provider, async (world) => {
      await expect(world.cancel()).resolves.toEqual({ status: 'authorized' });
      await expect(world.row()).resolves.toEqual(UNTOUCHED);
      provider.splice(0, 1, 'paid');
      await world.environment.sleep('1 minute');
      await expectCapturedUnsent(world);
    });
  },
);

it('gives nothing back before whatever may have been on its way has landed', () =>
  onceHeld(['not_found'], async ({ environment, run, resolve, row }) => {
    const cancelling = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
    const declaring = resolve(declared('declined'));
    await environment.sleep('5 seconds');
    await expect(row()).resolves.toEqual(UNTOUCHED);
    await environment.sleep('1 second');
    await expect(cancelling.result()).resolves.toEqual({ status: 'cancelled' });
    await expect(declaring).resolves.toEqual({ status: 'cancelled', rejection: DECIDED });
  }));

it('is asked about when a cancel finds that it was begun all the same, by a worker that woke up late', async () => {
  const provider: ScriptedAnswer[] = ['not_found'];
  await whileHeld(provider, async ({ cancel, payment, rows, run, sent }) => {
    await rows(
      `insert into payouts (intent_id, status, attempts, first_attempt_at, last_sent_at)
       values ($1, 'sent', 1, service_now(), service_now())`,
      payment.intentId,
    );
    await expect(cancel()).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'paid');
    await expect(run.result()).resolves.toBe('captured');
    expect(sent).toEqual([]);
  });
});

it('is cancelled by a later cancel, once the provider answers again', async () => {
  const provider: ScriptedAnswer[] = ['unknown'];
  await whileHeld(provider, async ({ cancel, environment, row }) => {
    await expect(cancel()).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'not_found');
    await expect(cancel()).rejects.toMatchObject({ cause: { type: 'IntentNotOpen' } });
    await environment.sleep('30 seconds');
    await expect(cancel()).resolves.toEqual({ status: 'cancelled' });
    await expect(row()).resolves.toEqual(released('cancelled'));
  });
});

it('declared declined, it fails without having been sent', async () => {
  const provider: ScriptedAnswer[] = ['not_found'];
  await whileHeld(provider, async ({ resolve, run, sent, row }) => {
    const reply = await resolve(declared('declined'));
    expect(reply).toEqual({ status: 'failed', rejection: null });
    provider.splice(0, 1, 'declined');
    await expect(run.result()).resolves.toBe('failed');
    expect(sent).toEqual([]);
    await expect(row()).resolves.toEqual(released('failed'));
  });
});

it('is not declared declined while the provider is silent, unless that is gone', () =>
  whileHeld(['unknown'], async ({ resolve }) => {
    await expect(resolve(declared('declined'))).resolves.toEqual({
      status: 'authorized',
      rejection: expect.stringContaining(
        'The provider does not answer, and the row knows of no payout',
      ) as unknown,
    });
    const overriding = { ...declared('declined'), isProviderGone: true };
    await expect(resolve(overriding)).resolves.toEqual({ status: 'failed', rejection: null });
  }));

it.each([
  ['declined', 'it is asked about first', 'The provider says paid.'],
  [
    ...(['paid', 'it waits: the provider is asked once payouts are allowed'] as const),
    'Payouts are stopped, and its row knows of none. Once they are allowed, the provider is asked about it, and it is captured if it was paid.',
  ],
] as const)('declared %s, %s', (outcome, _what, rejection) =>
  whileHeld(['paid'], async (world) => {
    const reply = await world.resolve(declared(outcome));
    expect(reply).toEqual({ status: 'authorized', rejection });
    await expect(world.row()).resolves.toEqual(UNTOUCHED);
    await expectCapturedUnsent(world);
  }),
);

it('looks at its row again when operations say so', () =>
  whileHeld(['paid'], async (world) => {
    await move(world, world.payment.intentId, 'fail', { actor: 'ann' });
    await world.run.signal(resumeSignal, BY_OPERATIONS);
    await expect(world.run.result()).resolves.toBe('failed');
    expect(world.sent).toEqual([]);
  }));

it('of a cancel and a declaration at once one is carried out, and both are answered', () =>
  whileHeld(['not_found'], async ({ cancel, resolve, row }) => {
    const [cancelled, resolved] = await Promise.all([cancel(), resolve(declared('declined'))]);
    const { status } = (await row()) ?? {};
    expect([
      { status: 'cancelled', rejection: DECIDED },
      { status: 'failed', rejection: null },
    ]).toContainEqual(resolved);
    expect(resolved.status).toBe(status);
    expect([status, 'authorized']).toContain(cancelled.status);
  }));

it('waits for no cancel and no declaration once payouts are allowed', () =>
  whileHeld(['paid'], async (world) => {
    await expectCapturedUnsent(world);
    const isOver = /completed|not found/i;
    await expect(world.cancel()).rejects.toThrow(isOver);
    await expect(world.resolve(declared('declined'))).rejects.toThrow(isOver);
  }));
