// `payctl intents resolve` (docs/operations.md): what was declared is in force when it returns, and otherwise it says by whom
// the payment was ended.
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { resolvePayout } from '../../src/ops/operator-actions';
import type { Resolution } from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { runPayctl } from './payctl';
import { anUnknownPayment, declared, EVIDENCE } from '../workflows/declarations';
import { whileHeld } from '../workflows/held-payment';

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

const NOWHERE = { url: 'postgres://postgres@127.0.0.1:1/postgres' };

const resolve = ({ database, environment }: PaymentWorld, id: string, resolution: Resolution) =>
  resolvePayout(
    { database, client: environment.client, deadline: AbortSignal.timeout(20_000) },
    id,
    resolution,
  );

it('ends the payment as declared, with the evidence in its audit trail', async () => {
  await inPaymentWorld({ workflowBundle, provider: ['unknown'] }, async (world) => {
    const { payment } = await anUnknownPayment(world);
    const story = await resolve(world, payment.intentId, declared('paid'));
    expect(story.status).toBe('captured');
    expect(story.transitions.at(-1)).toMatchObject({
      actor: 'ann',
      reason: `resolved: ${EVIDENCE}`,
    });
  });
});

it('ends a payment whose payout was not begun, since all are stopped, and whose attention nobody was asked for', async () => {
  await whileHeld({ workflowBundle, provider: ['not_found'] }, async (world, { payment }) => {
    const story = await resolve(world, payment.intentId, declared('declined'));
    expect(story).toMatchObject({ status: 'failed', payout: null, attention_reason: null });
  });
});

it('warns of what can still deliver an order where declined is typed: in its help, and before it waits', async () => {
  const warning =
    /Danger: double payment\. A proxy between worker and provider can still deliver an/;
  const words = ['--outcome', 'declined', '--evidence', EVIDENCE];
  const ran = await runPayctl(NOWHERE, ['intents', 'resolve', 'pi_1', ...words]);
  expect(ran.stderr).toMatch(warning);
  const help = await runPayctl(NOWHERE, ['intents', 'resolve', '--help']);
  expect(help.stdout.replaceAll(/\s+/g, ' ')).toMatch(warning);
});

it('takes --provider-is-gone for declined alone: paid needs no such word', async () => {
  const words = ['--outcome', 'paid', '--evidence', EVIDENCE, '--provider-is-gone'];
  const ran = await runPayctl(NOWHERE, ['intents', 'resolve', 'pi_1', ...words]);
  expect(ran).toEqual({
    code: 2,
    stdout: '',
    stderr: 'payctl: --provider-is-gone is for --outcome declined: paid is accepted without it.\n',
  });
});

it('is refused, and says by whom the payment was ended, when an attempt of the payout was faster', async () => {
  const provider: WorldOptions['provider'] = ['unknown'];
  await inPaymentWorld({ workflowBundle, provider, wrap: capturedFirst }, async (world) => {
    const { payment } = await anUnknownPayment(world);
    await expect(resolve(world, payment.intentId, declared('paid'))).rejects.toThrow(
      new RegExp(
        `^The declaration was accepted, but not written: ${payment.intentId} is captured, by system at 20[^ ]+Z\\.$`,
      ),
    );
  });
});

/** A worker that was told "paid" and frozen writes the capture just before the run writes what was declared. */
const capturedFirst: NonNullable<WorldOptions['wrap']> = (activities) => ({
  ...activities,
  async recordTransition(command) {
    if (command.declared !== undefined) {
      const { intentId, from } = command;
      await activities.recordTransition({ intentId, from, event: 'capture', actor: 'system' });
    }
    return activities.recordTransition(command);
  },
});
