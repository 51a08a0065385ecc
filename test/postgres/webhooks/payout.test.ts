// What the event and the receipt of an intent say of its payout (decisions 18 and 29).
import type { LocalAmount } from '../../../src/domain/money';
import type { IntentStatus, PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { PayoutDetails } from '../../../src/ports/payouts';
import { aDebitedIntent, anIntent, aTokenUse, findExisting, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { NO_DETAILS, recorded } from '../../support/payments/answers';
import { recordSent } from '../../support/payments/payouts';
import { aThaiCode } from '../../support/payments/qr-codes';
import { withDatabase, withPartner } from '../../support/brackets';
import { claimed } from '../../support/webhooks/webhooks';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const REFERENCE = 'SB-"1"\\\u2028';
const LOCAL: LocalAmount = { currency: 'THB', minor: 43_125 };
const NOTHING = { reference: null, local: null, code: null };
const baht = (amount: number) => ({ currency: 'THB', amount });

/** An intent whose payout was sent, ordered in the payee's currency if `ordered` is given. */
async function sent(ordered?: LocalAmount): Promise<PaymentIntent> {
  const { intentId, amountUsdCents } = await anIntent(bed, partner);
  const token = aTokenUse(partner);
  if (ordered !== undefined) {
    await bed.tokens.storePayload(intentId, token, { qrPayload: aThaiCode(), local: ordered });
  }
  const hasQrPayload = ordered !== undefined;
  await move(bed, intentId, 'authorize', { actor: 'payer', token: { ...token, hasQrPayload } });
  await bed.funds.debit(intentId, amountUsdCents);
  await recordSent(bed, intentId);
  return findExisting(bed, intentId);
}

function capture(intent: PaymentIntent, details: Partial<PayoutDetails> = {}) {
  const { intentId, createdAt } = intent;
  const terms = { ...intent, createdAtMs: +createdAt };
  return bed.intents.capturePaid(intentId, terms, { ...NO_DETAILS, ...details });
}

const answer = ({ intentId }: PaymentIntent, details: Partial<PayoutDetails>) =>
  bed.payoutJournal.recordAnswer(intentId, 1, { ...recorded('declined'), ...details });

/** What the event of the current status says of the payout; checks that the receipt agrees. */
async function payoutOf({ intentId }: PaymentIntent): Promise<unknown> {
  const { status, eventId } = await bed.intents.readCurrentState(intentId);
  if (eventId === null) throw new Error('no event was written');
  const { body } = await claimed(bed.webhooks, eventId);
  const { payout } = JSON.parse(body) as { readonly payout: object };
  expect(await receiptOf(intentId, status)).toEqual({ ...payout, at: NOON.toISOString() });
  return payout;
}

const receiptOf = (intentId: PaymentIntent['intentId'], status: IntentStatus) =>
  bed.intents.readReceipt(intentId, status);

describe('the payout of a captured intent', () => {
  it('has what the capturing statement has just learned', async () => {
    const intent = await sent();
    await capture(intent, { reference: REFERENCE, local: LOCAL });
    expect(await payoutOf(intent)).toEqual({
      ...NOTHING,
      reference: REFERENCE,
      local: baht(43_125),
    });
  });

  it('has what was ordered if the provider does not say what the payee got', async () => {
    const intent = await sent(LOCAL);
    await capture(intent);
    expect(await payoutOf(intent)).toEqual({ ...NOTHING, local: baht(43_125) });
  });

  it('has what the payee got, also if an operator has accepted another amount', async () => {
    const intent = await sent(LOCAL);
    await answer(intent, { local: { ...LOCAL, minor: 50_000 } });
    await move(bed, intent.intentId, 'capture', { actor: 'ann', reason: 'statement' });
    expect(await payoutOf(intent)).toEqual({ ...NOTHING, local: baht(50_000) });
  });

  it('has no code, although the provider refused and declined it before', async () => {
    const intent = await sent();
    await bed.payoutJournal.recordRefusal(intent.intentId, 'insufficient_balance');
    await answer(intent, { code: 'payee_closed' });
    await capture(intent);
    expect(await payoutOf(intent)).toEqual(NOTHING);
  });

  it('knows nothing where every row of the payout was lost', async () => {
    const intent = await aDebitedIntent(bed, partner);
    await capture(intent);
    expect(await payoutOf(intent)).toEqual(NOTHING);
  });
});

describe('the payout of a failed intent', () => {
  it('has the reference and the code of the decline, and what was ordered', async () => {
    const intent = await sent(LOCAL);
    await answer(intent, { reference: REFERENCE, code: 'payee_closed' });
    await move(bed, intent.intentId, 'fail');
    const local = baht(43_125);
    expect(await payoutOf(intent)).toEqual({ reference: REFERENCE, local, code: 'payee_closed' });
  });

  it('has the code of the refusal if no decline had one', async () => {
    const intent = await sent();
    await bed.payoutJournal.recordRefusal(intent.intentId, 'above_limit');
    await move(bed, intent.intentId, 'fail');
    expect(await payoutOf(intent)).toEqual({ ...NOTHING, code: 'above_limit' });
  });

  it('knows nothing if the holding account had too little', async () => {
    expect(await payoutOf(await anIntent(bed, partner, { status: 'failed' }))).toEqual(NOTHING);
  });
});

it('the payout of a refunded intent is that of its capture, and the receipt has its time', async () => {
  const intent = await sent();
  const { intentId } = intent;
  await bed.setNow(secondsAfter(NOON, -60));
  await capture(intent, { reference: REFERENCE, local: LOCAL });
  await bed.setNow(NOON);
  await bed.intents.transition({ intentId, from: 'captured', event: 'refund', actor: 'operator' });
  expect(await payoutOf(intent)).toEqual({ ...NOTHING, reference: REFERENCE, local: baht(43_125) });
});

it('an answer after the event changes the receipt and not the event', async () => {
  const intent = await sent();
  const { eventId } = await capture(intent);
  await answer(intent, { reference: REFERENCE });
  if (eventId === null) throw new Error('no event was written');
  const { body } = await claimed(bed.webhooks, eventId);
  expect(body).toContain('"payout":{"reference":null,"local":null,"code":null}}');
  const receipt = await receiptOf(intent.intentId, 'captured');
  expect(receipt).toEqual({ ...NOTHING, reference: REFERENCE, at: NOON.toISOString() });
});
