// What a reconciliation has found about an open payment stays, whatever the payment's workflow
// raises afterwards, until what ends its kind (decision 130).
import { acknowledgeIntent } from '../../../src/ops/intents/acknowledge';
import type { IntentId } from '../../../src/domain/ids';
import { move } from '../../support/builders';
import { lineOf, withReconciliation } from './reconcile-world';
import { anAttention } from '../../support/payments/attention';

const world = withReconciliation();

const UNKNOWN = anAttention(
  'The outcome of the payout is unknown. It is queried by key until the provider answers.',
);
const TWICE = 'The provider’s statement lists its payout 2 times. (reconciliation 1)';

/** A payment that the provider has executed twice. */
async function paidTwice(): Promise<IntentId> {
  const open = await world.payment('authorized');
  await world.bed.intents.setAttention(open, UNKNOWN);
  await world.reconcile([lineOf(open), lineOf(open)]);
  return open;
}

describe('a payout that is in the statement twice', () => {
  it('stays in the reason when a reminder writes the reason of the workflow again', async () => {
    const open = await paidTwice();
    const before = await world.attentionOf(open);
    await world.bed.intents.setAttention(open, UNKNOWN);
    expect(await world.attentionOf(open)).toBe(before);
    expect(before).toContain(TWICE);
  });

  it('stays in the reason when the workflow has another', async () => {
    const open = await paidTwice();
    await world.bed.intents.setAttention(
      open,
      anAttention('The provider reports 1 cents.', 'payout_differs'),
    );
    expect(await world.attentionOf(open)).toMatch(/ 2 times.* The provider reports 1 cents\.$/);
  });

  it('stays in the reason when the provider contradicts the resolution', async () => {
    const open = await paidTwice();
    await move(world.bed, open, 'capture', { actor: 'ann', resolvedAs: 'paid' });
    await world.bed.rechecks.finish(open, 'Resolved manually as paid, but it was not.');
    expect(await world.attentionOf(open)).toBe(
      `${TWICE} Resolved manually as paid, but it was not.`,
    );
  });

  it('still needs attention after the capture, until it is acknowledged', async () => {
    const open = await paidTwice();
    await move(world.bed, open, 'capture', { from: 'authorized' });
    expect(await world.attentionOf(open)).toBe(TWICE);
    await acknowledgeIntent(world.bed.database, open, { actor: 'ann', reason: 'paid back' });
    expect(await world.attentionOf(open)).toBeNull();
  });
});

it('ends with its finding, and only what was found ends', async () => {
  const [failed, other] = [await world.payment('failed'), await world.payment('captured')];
  await world.reconcile([lineOf(failed), lineOf(other)]);
  const raised = anAttention('Resolved, but the provider says paid.', 'resolution_contradicted');
  await world.bed.intents.setAttention(failed, raised, true);
  expect(await world.attentionOf(failed)).toContain('lists it as paid at');
  expect(await world.reconcile([lineOf(other)])).toMatchObject({ isClean: true, closed: 1 });
  expect(await world.attentionOf(failed)).toBe(raised.sentence);
});

it('a payment that is paid in the statement only needs no attention once it is captured', async () => {
  const open = await world.payment('authorized');
  await world.reconcile([lineOf(open)]);
  await move(world.bed, open, 'capture', { from: 'authorized' });
  expect(await world.attentionOf(open)).toBeNull();
});

it('a payment that the statement lacks needs no attention once it is refunded', async () => {
  const [missing, other] = [await world.payment('captured'), await world.payment('captured')];
  await world.reconcile([lineOf(other)]);
  expect(await world.attentionOf(missing)).toContain('does not list its payout');
  await move(world.bed, missing, 'refund', { from: 'captured' });
  expect(await world.attentionOf(missing)).toBeNull();
});

it('a payment that is paid in the statement still needs attention once it has failed', async () => {
  const open = await world.payment('authorized');
  await world.reconcile([lineOf(open)]);
  await move(world.bed, open, 'fail', { from: 'authorized' });
  expect(await world.attentionOf(open)).toContain('lists it as paid at');
});
