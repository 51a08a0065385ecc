// Port `PayoutRechecks`: the transaction that ends a payment by a manual resolution also schedules
// its recheck, which ends when the provider has answered or the day is over.
import type { ResolvedOutcome } from '../../../src/domain/intents/manual-resolution';
import { acknowledgeAttention } from '../../support/operators';
import type { IntentId } from '../../../src/domain/ids';
import { aDebitedIntent, move, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase, withPartner } from '../../support/brackets';
import { recordSent } from '../../support/payments/payouts';
import { OPEN_SENTENCES } from '../../support/payments/attention';

const DAY_SECONDS = 86_400;
const LEASE_SECONDS = 600;
const ATTENTION = 'Resolved as declined, but the provider says paid.';

const bed = withDatabase({ isPerTest: true });
const partner = withPartner(bed);

/** A payment that ended at noon, by a manual resolution or by the provider's answer. */
async function anEnded(resolvedAs?: ResolvedOutcome): Promise<IntentId> {
  const { intentId } = await aDebitedIntent(bed, partner);
  await recordSent(bed, intentId);
  await end(intentId, resolvedAs);
  return intentId;
}

function end(intentId: IntentId, resolvedAs: ResolvedOutcome | undefined) {
  const event = resolvedAs === 'declined' ? 'fail' : 'capture';
  return move(bed, intentId, event, { from: 'authorized', actor: 'ann', resolvedAs });
}

const claim = async () => {
  const due = await bed.rechecks.claimDueRechecks(10);
  return due.map(({ intentId, resolvedAs }) => [intentId, resolvedAs]);
};

async function attentionOf(intentId: IntentId): Promise<unknown> {
  const { rows } = await bed.database.query({
    text: `select ${OPEN_SENTENCES} as attention, attention_since
             from payment_intents i where intent_id = $1`,
    values: [intentId],
  });
  return rows[0];
}

it.each(['paid', 'declined'] as const)(
  'a payment resolved as %s has a pending recheck',
  async (resolvedAs) => {
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
  },
);

it('a payment cancelled after the provider’s answer has a recheck due at once', async () => {
  const { intentId } = await aDebitedIntent(bed, partner);
  await move(bed, intentId, 'cancel', { from: 'authorized', resolvedAs: 'cancelled' });
  await expect(claim()).resolves.toEqual([[intentId, 'cancelled']]);
  await expect(claim()).resolves.toEqual([]);
});

it('a payment that ended by the provider’s answer has no recheck', async () => {
  const intentId = await anEnded();
  await expect(end(intentId, 'declined')).resolves.toMatchObject({ outcome: 'other' });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(claim()).resolves.toEqual([]);
});

it('a resolution that is repeated because its answer was lost has a recheck', async () => {
  const intentId = await anEnded('declined');
  await expect(end(intentId, 'declined')).resolves.toMatchObject({ outcome: 'same' });
  await bed.setNow(secondsAfter(NOON, LEASE_SECONDS));
  await expect(claim()).resolves.toEqual([[intentId, 'declined']]);
});

it('a recheck is claimed once per lease, by one worker', async () => {
  const intentId = await anEnded('declined');
  await bed.setNow(secondsAfter(NOON, LEASE_SECONDS));
  const claimed = await times(8, claim);
  expect(claimed.flat()).toEqual([[intentId, 'declined']]);
  await bed.setNow(secondsAfter(NOON, 2 * LEASE_SECONDS - 1));
  await expect(claim()).resolves.toEqual([]);
  await bed.setNow(secondsAfter(NOON, 2 * LEASE_SECONDS));
  await expect(claim()).resolves.toEqual([[intentId, 'declined']]);
});

it('a recheck raises attention once, and not again after an acknowledgement', async () => {
  const intentId = await anEnded('declined');
  await bed.rechecks.finish(intentId, ATTENTION);
  const raised = { attention: ATTENTION, attention_since: NOON };
  await expect(attentionOf(intentId)).resolves.toEqual(raised);
  await acknowledgeAttention(bed.database, {
    ...{ intentId, kinds: ['resolution_contradicted'], actor: 'ann', reason: 'dealt with' },
  });
  await bed.rechecks.finish(intentId, ATTENTION);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention: null });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(claim()).resolves.toEqual([]);
});

it('a recheck ends without attention when the provider agrees', async () => {
  const intentId = await anEnded('paid');
  await bed.rechecks.finish(intentId, null);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention: null });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(claim()).resolves.toEqual([]);
});

it('a recheck ends without an answer only when the day is over', async () => {
  const intentId = await anEnded('declined');
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS - 0.001));
  await expect(bed.rechecks.finishAfterDay(intentId, ATTENTION)).resolves.toBe(false);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention: null });
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(bed.rechecks.finishAfterDay(intentId, ATTENTION)).resolves.toBe(true);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention: ATTENTION });
});

it('ending a recheck changes nothing for a payment without one', async () => {
  const intentId = await anEnded();
  await bed.rechecks.finish(intentId, ATTENTION);
  await bed.setNow(secondsAfter(NOON, DAY_SECONDS));
  await expect(bed.rechecks.finishAfterDay(intentId, ATTENTION)).resolves.toBe(false);
  await expect(attentionOf(intentId)).resolves.toMatchObject({ attention: null });
});
