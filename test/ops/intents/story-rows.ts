// Steps in the life of a payment, each through the store that does it, for tests of its story.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { EventId, IntentId } from '../../../src/domain/ids';
import { anIntent, type TestBed, move } from '../../support/builders';
import type { TestPartner } from '../../support/payments/partner';
import { beginNumbered, recordSent, recordSentAgain } from '../../support/payments/payouts';

type Step = 'authorize' | 'debit' | 'send' | 'capture';

export async function steps(
  bed: TestBed,
  { intentId, amountUsdCents }: PaymentIntent,
  ...names: readonly Step[]
): Promise<void> {
  const doStep: Readonly<Record<Step, () => Promise<unknown>>> = {
    authorize: () => move(bed, intentId, 'authorize'),
    debit: () => bed.funds.debit(intentId, amountUsdCents),
    send: () => send(bed, intentId),
    capture: () => move(bed, intentId, 'capture'),
  };
  for (const name of names) await doStep[name]();
}

/** Sends the payout, and records no answer. */
async function send(bed: TestBed, intentId: IntentId) {
  if ((await recordSent(bed, intentId)) !== undefined) return;
  const number = await beginNumbered(bed, intentId);
  await recordSentAgain(bed, intentId, number);
}

export async function aDebitedIntent(bed: TestBed, partner: TestPartner): Promise<PaymentIntent> {
  const intent = await anIntent(bed, partner, { status: 'authorized' });
  await steps(bed, intent, 'debit');
  return intent;
}

/** The webhook event of the intent's current status. */
export async function eventOf(bed: TestBed, { intentId }: PaymentIntent): Promise<EventId> {
  const { eventId } = await bed.intents.readCurrentState(intentId);
  if (eventId === null) throw new Error('no event was written');
  return eventId;
}
