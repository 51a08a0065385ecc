// A provider that answered declined and executed the payout: the payment failed, its debit was
// given back, and the payee has the money. Only the provider's statement shows it (decision 130).
import { reconcile } from '../../../src/ops/ledger/reconcile/reconcile';
import { findIntentStory } from '../../../src/ops/intents/story';
import { recordEnvironment } from '../../../src/postgres/service-environment';
import { inPieces } from '../../ops/ledger/reconcile-world';
import { ProviderCaller } from '../../sandbox/provider-caller';
import { inPaymentWorld } from '../../support/payment-world';

const provider = new ProviderCaller();
beforeAll(() => provider.start());
afterAll(() => provider.stop());

it('reconcile finds the executed payout in the statement, and raises attention on the failed payment', async () => {
  await inPaymentWorld({ provider: ['declined'] }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    expect(await world.confirm(payment)).toEqual({ status: 'failed' });
    for (const { key, amountUsdCents: amount, corridor } of world.sent) {
      await provider.post({ key, amount, corridor });
    }
    await recordEnvironment(world.database, 'sandbox');
    const { text } = await provider.text('/statement', { accept: 'text/csv' });
    const executedAt = provider.time.clock.now().getTime();
    const reconciled = await reconcile(world.database, {
      ...{ bytes: inPieces(text), name: 'statement.csv', actor: 'ann' },
      onProgress: () => undefined,
      since: new Date(executedAt - 3_600_000),
      until: new Date(executedAt + 3_600_000),
    });
    expect(reconciled.findings).toMatchObject([
      { kind: 'paid_not_captured', intent_id: payment.intentId, status: 'failed', line: 2 },
    ]);
    const story = await findIntentStory(world.database, payment.intentId);
    expect(story.waiting_for).toMatch(
      /^Operations, since .* lists it as paid at .*here it is failed/,
    );
  });
});
