// What a verified callback brings beside a query (decision 156): an id to ask for, and after the
// capture the question whether the money came back.
import type { IntentId } from '../../../src/domain/ids';
import { proposeReference } from '../../support/operators';
import { move } from '../../support/builders';
import { recorded } from '../../support/payments/answers';
import { DAY, MINUTE, withCallbacks } from './payments';
import { httpCallback, transFiCallback } from './signed';

const { bed, listener, at, aSent, rowsOf, changedSince, payoutOf } = withCallbacks();

describe('an id that it names', () => {
  const proposal = async (intentId: IntentId) => {
    const { proposed_reference: id, proposed_by: by } = await payoutOf(intentId);
    return [id, by];
  };
  const aSilent = () => aSent({ corridor: 'vn_qrpay', account: 'transfi/main' });

  it('is a candidate, which the next query asks for, and no later one replaces it', async () => {
    const intentId = await aSilent();
    await listener.send(transFiCallback({ intentId, reference: 'OR-1' }));
    await expect(proposal(intentId)).resolves.toEqual(['OR-1', 'callback']);
    const order = await bed.payoutJournal.readOrder(intentId);
    expect(order).toMatchObject({ reference: 'OR-1' });
    await expect(payoutOf(intentId)).resolves.toMatchObject({ reference: null });
    await at(MINUTE);
    await listener.send(transFiCallback({ intentId, reference: 'OR-2' }));
    await expect(proposal(intentId)).resolves.toEqual(['OR-1', 'callback']);
  });

  it('is kept however soon it comes after another callback: it may be sent only once', async () => {
    const intentId = await aSilent();
    await listener.send(transFiCallback({ intentId, reference: null }));
    await expect(proposal(intentId)).resolves.toEqual([null, null]);
    await listener.send(transFiCallback({ intentId, reference: 'OR-1' }));
    await expect(proposal(intentId)).resolves.toEqual(['OR-1', 'callback']);
  });

  it('is replaced by what an operator finds, and replaces it not', async () => {
    const [one, other] = [await aSilent(), await aSilent()];
    const found = { reference: 'OR-9', actor: 'ann' };
    await listener.send(transFiCallback({ intentId: one }));
    for (const intentId of [one, other])
      await proposeReference(bed.database, { intentId, ...found });
    await listener.send(transFiCallback({ intentId: other }));
    await expect(proposal(one)).resolves.toEqual(['OR-9', 'ann']);
    await expect(proposal(other)).resolves.toEqual(['OR-9', 'ann']);
  });

  it('counts for nothing where the provider has answered with one', async () => {
    const intentId = await aSilent();
    const answer = { ...recorded('pending'), reference: 'OR-3' };
    await bed.payoutJournal.recordAnswer(intentId, 1, answer);
    await listener.send(transFiCallback({ intentId, reference: 'OR-1' }));
    await expect(proposal(intentId)).resolves.toEqual([null, null]);
  });
});

describe('after the capture', () => {
  const aCaptured = async () => {
    const intentId = await aSent();
    await move(bed, intentId, 'capture');
    return intentId;
  };
  const asked = (intentId: IntentId, outcome: 'paid', forDays = 30) =>
    bed.paidAsks.finish(intentId, outcome, forDays);
  const claimed = async () =>
    (await bed.paidAsks.claimDue('th_qrpay', 100)).map((payout) => payout.intentId);
  afterEach(() => bed.database.query({ text: 'update payouts set ask_at = null' }));

  it('makes the query due whether the money came back, and nothing else', async () => {
    const intentId = await aCaptured();
    await at(MINUTE);
    await asked(intentId, 'paid');
    await at(2 * MINUTE);
    const before = await rowsOf(intentId);
    await listener.send(httpCallback({ intentId, status: 'returned' }));
    await expect(changedSince(before, intentId)).resolves.toEqual(['ask_at', 'hinted_at']);
    await expect(claimed()).resolves.toEqual([intentId]);
  });

  it('leaves the first query at its minute: the money may come back until then', async () => {
    const intentId = await aCaptured();
    await at(1);
    const before = await rowsOf(intentId);
    await listener.send(httpCallback({ intentId }));
    await expect(changedSince(before, intentId)).resolves.toEqual(['hinted_at']);
  });

  it('does nothing once the queries have ended', async () => {
    const intentId = await aCaptured();
    await at(31 * DAY);
    await asked(intentId, 'paid');
    const before = await rowsOf(intentId);
    await listener.send(httpCallback({ intentId, status: 'declined' }));
    expect(listener.counted).toEqual(['th_qrpay unknown']);
    await expect(changedSince(before, intentId)).resolves.toEqual([]);
  });

  it('changes no outcome in whatever order it says what', async () => {
    const intentId = await aCaptured();
    await at(MINUTE);
    await asked(intentId, 'paid');
    const before = await rowsOf(intentId);
    for (const [nth, status] of ['paid', 'pending', 'declined', 'returned', 'x'].entries()) {
      await at(2 * MINUTE + 10 * nth);
      await listener.send(httpCallback({ intentId, status }));
    }
    await expect(changedSince(before, intentId)).resolves.toEqual(['ask_at', 'hinted_at']);
  });
});
