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
async function cancelled(provider: NonNullable<WorldOptions['provider']>) {
  const debiting = createGate();
  const wrap: WorldOptions['wrap'] = (activities) => ({
    ...activities,
    async debitHoldingAccount(intentId, amount) {
      await debiting.isOpen;
      return activities.debitHoldingAccount(intentId, amount);
    },
  });
  const seen: { told?: string; end?: string; ending?: unknown; sent?: number } = {};
  await inPaymentWorld({ workflowBundle, provider, wrap }, async (world: PaymentWorld) => {
    const payment = await world.create();
    const { intentId } = payment;
    await world.intents.transition({
      intentId,
      from: 'created',
      event: 'authorize',
      actor: 'payer',
    });
    const run = await world.start({ ...payment, status: 'authorized' });
    const cancelling = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
    debiting.open();
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
