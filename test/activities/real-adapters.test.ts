// The payout activity through the adapters of real providers, each with its simulator behind it and
// the payout's row in Postgres: inquiry, order, capture, and an answer that was lost.
import { createProviderOutbound } from '../../src/http/provider-outbound';
import type { LocalAmount } from '../../src/domain/money';
import { stepKey } from '../../src/domain/ids';
import { proposeReference } from '../support/operators';
import { createMusePayProvider } from '../../src/providers/musepay/provider';
import { requestIdOf } from '../../src/providers/musepay/requests';
import { createTransFiProvider } from '../../src/providers/transfi/provider';
import { openMusePay } from '../providers/musepay/simulator';
import { openTransFiSimulator, type Behaviour } from '../providers/transfi/simulator';
import { bracket } from '../support/brackets';
import { recogniseErrorsOfNode } from '../support/builders';
import { aThaiCode, aVietnameseCode } from '../support/payments/qr-codes';
import { withPayouts } from './payout-world';

recogniseErrorsOfNode();

const payouts = withPayouts();
const outbound = bracket(
  () => Promise.resolve(createProviderOutbound()),
  (opened) => opened.close(),
);
const FEE = 150;
const DONG: LocalAmount = { currency: 'VND', minor: 317_500 };
const BAHT: LocalAmount = { currency: 'THB', minor: 39_800 };
const [VIETQR, PROMPTPAY] = [aVietnameseCode({ '54': '317500' }), aThaiCode({ '54': '398.00' })];

describe('TransFi', () => {
  const behaviour: { current: Partial<Behaviour> } = { current: {} };
  const simulator = bracket(
    () => openTransFiSimulator(() => behaviour.current),
    (opened) => opened.close(),
  );
  const aPayout = (feeUsdCents = FEE) =>
    payouts.aPayout({
      provider: { ...createTransFiProvider(outbound, simulator), account: 'transfi/main' },
      ...({ corridor: 'vn_qrpay', qrPayload: VIETQR, local: DONG } as const),
      feeUsdCents,
    });
  const paths = () =>
    simulator.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  beforeEach(() => {
    behaviour.current = {};
    (simulator.requests as unknown[]).length = 0;
  });

  it('is asked for the cost, ordered once, and captured by its own id', async () => {
    const { payOut, currentState, intent } = await aPayout();
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutPending' });
    expect(paths().sort()).toEqual([
      ...['GET /v3/exchange-rates', 'POST /v3/orders', 'POST /v3/qr-code/details'],
    ]);
    await expect(payOut()).resolves.toMatchObject({ outcome: 'paid' });
    await expect(currentState()).resolves.toMatchObject({ status: 'captured' });
    expect(simulator.executionsOf(stepKey(intent.intentId, 'payout'))).toBe(1);
  });

  it('gets no order that costs more than the bound: the fee is on top', async () => {
    const { payOut, intent } = await aPayout(0);
    await expect(payOut()).resolves.toMatchObject({ outcome: 'declined' });
    expect(paths()).not.toContain('POST /v3/orders');
    const code = payouts.rows(
      'select failure_code from payouts where intent_id = $1',
      intent.intentId,
    );
    await expect(code).resolves.toEqual([{ failure_code: 'rate_expired' }]);
  });

  it('finds an order whose answer was lost by the id that an operator names', async () => {
    behaviour.current = { answer: 'lost' };
    const { payOut, intent } = await aPayout();
    const { intentId } = intent;
    const key = stepKey(intentId, 'payout');
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    await payouts.setSecondsAfterNoon(60);
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    const named = (reference: string) =>
      proposeReference(payouts.database(), { intentId, reference, actor: 'ann' });
    await expect(named('OR-0')).resolves.toBe(true);
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    await expect(named(simulator.referenceOf(key) ?? '')).resolves.toBe(true);
    await expect(payOut()).resolves.toMatchObject({ outcome: 'paid' });
    expect(simulator.executionsOf(key)).toBe(1);
  });

  it('is not believed about the order of another payment', async () => {
    const first = await aPayout();
    await expect(first.payOut()).rejects.toMatchObject({ type: 'PayoutPending' });
    const other = simulator.referenceOf(stepKey(first.intent.intentId, 'payout')) ?? '';
    behaviour.current = { answer: 'dropped' };
    const { payOut, intent } = await aPayout();
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    const proposal = { intentId: intent.intentId, reference: other, actor: 'ann' };
    await proposeReference(payouts.database(), proposal);
    await payouts.setSecondsAfterNoon(6);
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    const found = payouts.rows(
      'select reference, accepted_at from payouts where intent_id = $1',
      intent.intentId,
    );
    await expect(found).resolves.toEqual([{ reference: null, accepted_at: null }]);
  });
});

describe('MusePay', () => {
  const simulator = bracket(
    () => openMusePay({ paysRepeats: true }),
    (opened) => opened.close(),
  );
  const aPayout = async () => {
    const payout = await payouts.aPayout({
      provider: { ...createMusePayProvider(outbound, simulator), account: 'musepay/main' },
      ...({ corridor: 'th_qrpay', qrPayload: PROMPTPAY, local: BAHT } as const),
      feeUsdCents: FEE,
    });
    const requestId = requestIdOf(stepKey(payout.intent.intentId, 'payout')) ?? '';
    return { ...payout, requestId };
  };

  it('is captured by a query, though it repeats no amount', async () => {
    const { payOut, currentState, requestId } = await aPayout();
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutPending' });
    await expect(payOut()).resolves.toMatchObject({ outcome: 'paid' });
    await expect(currentState()).resolves.toMatchObject({ status: 'captured' });
    expect(simulator.executionsOf(requestId)).toBe(1);
  });

  it('is never sent a second order after a lost answer, and is found by our key', async () => {
    const { payOut, requestId } = await aPayout();
    simulator.plan(requestId, { submit: 'answer_lost' });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    await payouts.setSecondsAfterNoon(60);
    await expect(payOut()).resolves.toMatchObject({ outcome: 'paid' });
    expect(simulator.executionsOf(requestId)).toBe(1);
  });

  it('is never sent a second order after a lost request either: a denial is no proof', async () => {
    const { payOut, requestId } = await aPayout();
    simulator.plan(requestId, { submit: 'request_lost' });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    for (const seconds of [6, 60, 899]) {
      await payouts.setSecondsAfterNoon(seconds);
      await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    }
    await payouts.setSecondsAfterNoon(900);
    await expect(payOut()).resolves.toEqual({ outcome: 'unknown', isUnsent: false });
    expect(simulator.executionsOf(requestId)).toBe(0);
  });
});
