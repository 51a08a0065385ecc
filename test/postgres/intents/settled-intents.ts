// Intents with their transfers and payouts, as payments leave them in each status.
import type { IntentEvent } from '../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import { anIntent, type TestBed, move } from '../../support/builders';
import type { TestPartner } from '../../support/payments/partner';
import { recordSent } from '../../support/payments/payouts';

export type KindsOfIntents = Readonly<Record<IntentStatus, string>>;

type Settled = 'authorized' | 'captured' | 'failed' | 'refunded' | 'cancelled';

const ENDS: Readonly<Record<Settled, readonly IntentEvent[]>> = {
  authorized: [],
  captured: ['capture'],
  failed: ['fail'],
  refunded: ['capture', 'refund'],
  cancelled: ['cancel'],
};

/**
 * Returns the intent's id. A cancelled intent was debited and never paid out; every other was both.
 */
export async function aSettledIntent(
  bed: TestBed,
  partner: TestPartner,
  status: Settled,
): Promise<string> {
  const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
  await bed.funds.debit(intentId, amountUsdCents);
  if (status !== 'cancelled') await recordSent(bed, intentId);
  for (const event of ENDS[status]) {
    const from = event === 'refund' ? 'captured' : 'authorized';
    await move(bed, intentId, event, { from });
  }
  return intentId;
}

/**
 * One intent of each status, and also one that failed and one that was cancelled before a debit.
 */
export async function intentsOfEveryKind(
  bed: TestBed,
  partner: TestPartner,
): Promise<KindsOfIntents> {
  await anIntent(bed, partner, { status: 'failed' });
  await anIntent(bed, partner, { status: 'cancelled' });
  return {
    created: (await anIntent(bed, partner)).intentId,
    expired: (await anIntent(bed, partner, { status: 'expired' })).intentId,
    authorized: await aSettledIntent(bed, partner, 'authorized'),
    captured: await aSettledIntent(bed, partner, 'captured'),
    failed: await aSettledIntent(bed, partner, 'failed'),
    refunded: await aSettledIntent(bed, partner, 'refunded'),
    cancelled: await aSettledIntent(bed, partner, 'cancelled'),
  };
}
