// A payment whose payout has not begun because all payouts are stopped (decision 127). It waits,
// and it can be cancelled or resolved, but only if the provider denies the payout.
import { workflowGone } from '../../src/domain/intents/attention';
import { endWorkflowGone } from '../support/operators';
import { BY_OPERATIONS, cancelUpdate, resumeSignal } from '../../workflows/messages/messages';
import { move } from '../support/builders';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { shownInUi } from '../support/servers/temporal-ui';
import {
  aDeclinedOne,
  aResolution,
  onceDelayed,
  whileDelayed,
  type StartedWorld,
} from './started-payment';

const UNTOUCHED = { status: 'authorized', attention: null, steps: ['debit'] };
const CAPTURED = { status: 'captured', attention: null, steps: ['debit', 'capture'] };
const released = (status: string) => ({ status, attention: null, steps: ['debit', 'release'] });
const ALREADY_DECIDED = 'The payout has been decided already.';

/** Allows payouts. The provider has the payout, so the payment is captured without a request. */
async function allowAndExpectCaptured({ allow, workflow, sent }: StartedWorld): Promise<void> {
  await allow();
  await expect(workflow.result()).resolves.toBe('captured');
  expect(sent).toEqual([]);
}

it('a payment whose workflow is gone waits in another one, and that is no loss of commits', () =>
  whileDelayed(['not_found', 'paid'], async (world) => {
    const { intentId } = world.payment;
    await world.intents.setAttention(intentId, workflowGone('authorized'));
    await world.allow();
    await world.environment.sleep('1 minute');
    await expect(world.row()).resolves.toMatchObject({
      ...{ status: 'authorized', steps: ['debit'] },
      attention: expect.stringContaining('its row says that its workflow is gone.') as unknown,
    });
    expect(world.sent).toEqual([]);
    const stops = `select kind from payout_stops where kind <> 'operator'`;
    await expect(world.rows(stops)).resolves.toEqual([]);
    await endWorkflowGone(world.database, intentId);
    await world.workflow.signal(resumeSignal);
    await expect(world.workflow.result()).resolves.toBe('captured');
  }));

it('a delayed payment sends nothing and adds no history events until payouts are allowed', () =>
  whileDelayed(['not_found', 'paid'], async (world) => {
    const { workflow, row } = world;
    const length = async () => (await workflow.describe()).historyLength;
    const before = await length();
    await world.environment.sleep('20 minutes');
    await expect(length()).resolves.toBe(before);
    expect(world.sent).toEqual([]);
    await expect(row()).resolves.toEqual(UNTOUCHED);
    await expect(shownInUi(workflow)).resolves.toMatchObject({
      currentDetails:
        'Payouts are stopped, and this one has not begun. `payctl payouts show` says why.',
    });
    await world.allow();
    await expect(workflow.result()).resolves.toBe('captured');
    expect(world.sent).toHaveLength(1);
    await expect(row()).resolves.toEqual(CAPTURED);
  }));

it.each(['not_found', 'declined'] as const)(
  'a delayed payment is cancelled if the provider answers %s, and is never sent',
  (answer) =>
    whileDelayed([answer], async ({ cancel, allow, workflow, sent, row }) => {
      await expect(cancel()).resolves.toEqual({ status: 'cancelled' });
      await allow();
      await expect(workflow.result()).resolves.toBe('cancelled');
      expect(sent).toEqual([]);
      await expect(row()).resolves.toEqual(released('cancelled'));
    }),
);

it.each(['paid', 'pending', 'unknown'] as const)(
  'a delayed payment is not cancelled if the provider answers %s',
  async (answer) => {
    const provider: ScriptedAnswer[] = [answer];
    await whileDelayed(provider, async (world) => {
      await expect(world.cancel()).resolves.toEqual({ status: 'authorized' });
      await expect(world.row()).resolves.toEqual(UNTOUCHED);
      provider.splice(0, 1, 'paid');
      await world.environment.sleep('1 minute');
      await allowAndExpectCaptured(world);
    });
  },
);

it('a delayed payment releases no debit while a request may still be on its way', () =>
  onceDelayed(['not_found'], async ({ environment, workflow, resolve, row }) => {
    const cancelling = await workflow.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
    const resolving = resolve(aResolution('declined'));
    await environment.sleep('5 seconds');
    await expect(row()).resolves.toEqual(UNTOUCHED);
    await environment.sleep('1 second');
    await expect(cancelling.result()).resolves.toEqual({ status: 'cancelled' });
    await expect(resolving).resolves.toEqual({ status: 'cancelled', rejection: ALREADY_DECIDED });
  }));

it('a delayed payment is queried if a cancel finds an attempt of a frozen worker', async () => {
  const provider: ScriptedAnswer[] = ['not_found'];
  await whileDelayed(provider, async ({ cancel, payment, rows, workflow, sent }) => {
    await rows(
      `insert into payouts (intent_id, status, attempts, first_attempt_at, last_sent_at)
       values ($1, 'sent', 1, service_now(), service_now())`,
      payment.intentId,
    );
    await expect(cancel()).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'paid');
    await expect(workflow.result()).resolves.toBe('captured');
    expect(sent).toEqual([]);
  });
});

it('a delayed payment is cancelled by a later cancel once the provider answers', async () => {
  const provider: ScriptedAnswer[] = ['unknown'];
  await whileDelayed(provider, async ({ cancel, environment, row }) => {
    await expect(cancel()).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'not_found');
    await expect(cancel()).rejects.toMatchObject({ cause: { type: 'IntentNotOpen' } });
    await environment.sleep('30 seconds');
    await expect(cancel()).resolves.toEqual({ status: 'cancelled' });
    await expect(row()).resolves.toEqual(released('cancelled'));
  });
});

it('a delayed payment that is resolved as declined fails and is never sent', async () => {
  const provider: ScriptedAnswer[] = ['not_found'];
  await whileDelayed(provider, async ({ resolve, workflow, sent, row }) => {
    const reply = await resolve(aResolution('declined'));
    expect(reply).toEqual({ status: 'failed', rejection: null });
    provider.splice(0, 1, 'declined');
    await expect(workflow.result()).resolves.toBe('failed');
    expect(sent).toEqual([]);
    await expect(row()).resolves.toEqual(released('failed'));
  });
});

it('a delayed payment is resolved as declined while the provider is silent only if that is gone', () =>
  whileDelayed(['unknown'], async ({ resolve }) => {
    await expect(resolve(aResolution('declined'))).resolves.toEqual({
      status: 'authorized',
      rejection: expect.stringContaining('The provider does not answer.') as unknown,
    });
    await expect(resolve(aDeclinedOne())).resolves.toEqual({ status: 'failed', rejection: null });
  }));

it.each([
  ['declined', 'The provider says paid.'],
  [
    'paid',
    'Payouts are stopped, and the row has no attempt. Once payouts are allowed, the provider is queried, and the payment is captured if it was paid.',
  ],
] as const)(
  'a delayed payment that the provider has paid is not resolved as %s: %s',
  (outcome, rejection) =>
    whileDelayed(['paid'], async (world) => {
      const reply = await world.resolve(aResolution(outcome));
      expect(reply).toEqual({ status: 'authorized', rejection });
      await expect(world.row()).resolves.toEqual(UNTOUCHED);
      await allowAndExpectCaptured(world);
    }),
);

it('a delayed payment reads its row when an operator resumes it', () =>
  whileDelayed(['paid'], async (world) => {
    await move(world, world.payment.intentId, 'fail', { actor: 'ann' });
    await world.workflow.signal(resumeSignal, BY_OPERATIONS);
    await expect(world.workflow.result()).resolves.toBe('failed');
    expect(world.sent).toEqual([]);
  }));

it('one of a simultaneous cancel and resolution is written, and both are answered', () =>
  whileDelayed(['not_found'], async ({ cancel, resolve, row }) => {
    const [cancelled, resolved] = await Promise.all([cancel(), resolve(aResolution('declined'))]);
    const { status } = (await row()) ?? {};
    expect([
      { status: 'cancelled', rejection: ALREADY_DECIDED },
      { status: 'failed', rejection: null },
    ]).toContainEqual(resolved);
    expect(resolved.status).toBe(status);
    expect([status, 'authorized']).toContain(cancelled.status);
  }));

it('a finished payment rejects cancel and resolution', () =>
  whileDelayed(['paid'], async (world) => {
    await allowAndExpectCaptured(world);
    const isOver = /completed|not found/i;
    await expect(world.cancel()).rejects.toThrow(isOver);
    await expect(world.resolve(aResolution('declined'))).rejects.toThrow(isOver);
  }));
