// Port payout-comparisons: a payment that ends on somebody's word is owed a comparison from the very transaction that ends it,
// until the provider has told or the day is over.
import type { ResolvedOutcome } from '../../../src/domain/intents/manual-resolution';
import { acknowledgeAttention } from '../../../src/postgres/intents/acknowledge';
import type { IntentId } from '../../../src/domain/ids';
import { aDebited, move, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase, withPartner } from '../../support/brackets';
import { recordSent } from '../../support/payments/payouts';

const DAY_SECONDS = 86_400;
const LEASE_SECONDS = 600;
const ATTENTION = 'Declared declined by operations, but the provider says paid.';

const bed = withDatabase({ isPerTest: true });
const partner = withPartner(bed);

/** Ended at noon: as operations declared, or by what the provider told. */
async function anEnded(resolvedAs?: ResolvedOutcome): Promise<IntentId> {
  const { intentId } = await aDebited(bed, partner);
  await recordSent(bed, intentId);
  await end(intentId, resolvedAs);
  return intentId;
}

function end(intentId: IntentId, resolvedAs: ResolvedOutcome | undefined) {
  const event = resolvedAs === 'declined' ? 'fail' : 'capture';
  return move(bed, intentId, event, { from: 'authorized', actor: 'ann', resolvedAs });
}

const claim = async () => {
  const owed = await bed.rechecks.claimDueRechecks(10);
  return owed.map(({ intentId, resolvedAs }) => [intentId, resolvedAs]);
};

async function attentionOf(intentId: IntentId): Promise<unknown> {
  const { rows } = await bed.database.query({
    text: 'select attention_reason, attention_since from payment_intents where intent_id = $1',
    values: [intentId],
  });
  return rows[0];
}

it.each(['paid', 'declined'] as const)('a payment declared %s is owed one', async (resolvedAs) => {
  const intentId = await anEnded(resolvedAs);
  await expect(claim()).resolves.toEqual([]);
  await bed.setNow(secondsAfter(NOON, LEASE_SECONDS));
  await expect(bed.rechecks.claimDueRechecks(10)).resolves.toEqual([
    {
      intentId,
      resolvedAs,
      partnerId: partner.partnerId,
      corridor: 'th_qrpay',
      amountUsdCents: 1_250,
    },
  ]);
});

it('a payment that was cancelled on the word of the provider is owed one, and nobody else compares it', async () => {
  const { intentId } = await aDebited(bed, partner);
  await move(bed, intentId, 'cancel', { from: 'authorized', resolvedAs: 'cancelled' });
  await expect(claim()).resolves.toEqual([[intentId, 'cancelled']]);
  await expect(claim()).resolves.toEqual([]);
});

it('a payment that the provider has told of is owed none, nor is one that a declaration did not end', async () => {
  const intentId = await anEnded();
  await expect(end(intentId, 'declined')).resolves.toMatchObject({ outcome: 'other' });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(claim()).resolves.toEqual([]);
});

it('a declaration that is repeated, since its answer was lost, is owed one', async () => {
  const intentId = await anEnded('declined');
  await expect(end(intentId, 'declined')).resolves.toMatchObject({ outcome: 'same' });
  await bed.setNow(secondsAfter(NOON, LEASE_SECONDS));
  await expect(claim()).resolves.toEqual([[intentId, 'declined']]);
});

it('each is handed out once per lease, to whichever worker asks first', async () => {
  const intentId = await anEnded('declined');
  await bed.setNow(secondsAfter(NOON, LEASE_SECONDS));
  const claimed = await times(8, claim);
  expect(claimed.flat()).toEqual([[intentId, 'declined']]);
  await bed.setNow(secondsAfter(NOON, 2 * LEASE_SECONDS - 1));
  await expect(claim()).resolves.toEqual([]);
  await bed.setNow(secondsAfter(NOON, 2 * LEASE_SECONDS));
  await expect(claim()).resolves.toEqual([[intentId, 'declined']]);
});

it('ends with attention, once: what people have dealt with is not raised again', async () => {
  const intentId = await anEnded('declined');
  await bed.rechecks.end(intentId, ATTENTION);
  const raised = { attention_reason: ATTENTION, attention_since: NOON };
  await expect(attentionOf(intentId)).resolves.toEqual(raised);
  await acknowledgeAttention(bed.database, { intentId, actor: 'ann', reason: 'dealt with' });
  await bed.rechecks.end(intentId, ATTENTION);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention_reason: null });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(claim()).resolves.toEqual([]);
});

it('ends without attention when the provider agrees', async () => {
  const intentId = await anEnded('paid');
  await bed.rechecks.end(intentId, null);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention_reason: null });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(claim()).resolves.toEqual([]);
});

it('ends for want of an answer only when the day is over', async () => {
  const intentId = await anEnded('declined');
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS - 0.001));
  await expect(bed.rechecks.endAfterDay(intentId, ATTENTION)).resolves.toBe(false);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention_reason: null });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(bed.rechecks.endAfterDay(intentId, ATTENTION)).resolves.toBe(true);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention_reason: ATTENTION });
});

it('of a payment that no declaration ended, nothing is raised and nothing is over', async () => {
  const intentId = await anEnded();
  await bed.rechecks.end(intentId, ATTENTION);
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(bed.rechecks.endAfterDay(intentId, ATTENTION)).resolves.toBe(false);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention_reason: null });
});
