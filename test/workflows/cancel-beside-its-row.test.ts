// A cancel in a run that was begun beside an authorized row, since the one before it was lost: the row does not know of a payout, but a
// restored database may have forgotten one (decision 25).
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { cancelUpdate } from '../../workflows/messages';
import { createGate } from '../faults/gates';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { endingOf } from './declarations';

let workflowBundle: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

/** What a cancel is told that is let in before the payout; then the run goes on to its end. */
async function cancelled(
  provider: NonNullable<WorldOptions['provider']>,
  begunAs: 'created' | 'authorized' = 'authorized',
) {
  const debiting = createGate();
  const wrap: WorldOptions['wrap'] = (activities) => ({
    ...activities,
    async debitHoldingAccount(...debit) {
      await debiting.isOpen;
      return activities.debitHoldingAccount(...debit);
    },
  });
  const seen: { told?: string; end?: string; ending?: unknown; sent?: number } = {};
  await inPaymentWorld({ workflowBundle, provider, wrap }, async (world: PaymentWorld) => {
    const payment = await world.create();
    const { intentId } = payment;
    const authorize = { intentId, from: 'created', event: 'authorize', actor: 'test' } as const;
    await world.intents.transition(authorize);
    const run = await world.start({ ...payment, status: begunAs });
    const cancelling = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
    debiting.open();
    // What a restored database may have forgotten could be on its way for that long.
    await world.environment.sleep('20 seconds');
    seen.told = (await cancelling.result()).status;
    seen.end = (await run.result()) as string;
    seen.ending = await endingOf(world);
    seen.sent = world.sent.length;
  });
  return seen;
}

it.each(['not_found', 'declined'] as const)(
  'is carried out where the provider says %s, and nothing is sent',
  async (said) => {
    await expect(cancelled([said])).resolves.toMatchObject({
      told: 'cancelled',
      end: 'cancelled',
      ending: { status: 'cancelled', steps: ['debit', 'release'] },
      sent: 0,
    });
  },
);

it.each(['paid', 'pending', 'unknown'] as const)(
  'gives nothing back where the provider says %s: the payout is concluded',
  async (said) => {
    await expect(cancelled([said, 'paid'])).resolves.toMatchObject({
      told: 'authorized',
      end: 'captured',
      ending: { status: 'captured', steps: ['debit', 'capture'] },
    });
  },
);

it('gives nothing back either where the run has found its row authorized', async () => {
  await expect(cancelled(['paid'], 'created')).resolves.toMatchObject({
    told: 'authorized',
    end: 'captured',
    ending: { status: 'captured', steps: ['debit', 'capture'] },
  });
});
