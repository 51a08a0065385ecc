// What the statement has as paid does not end unpaid here before the provider was asked (records 127 and 130).
import { lineOf, openReconcileWorld, type ReconcileWorld } from './reconcile-world';

let world: ReconcileWorld;
beforeEach(async () => {
  world = await openReconcileWorld();
});
afterEach(() => world.close());

async function mustAsk(intentId: string): Promise<boolean | undefined> {
  const { rows } = await world.bed.database.query<{ readonly must_ask: boolean }>({
    text: 'select must_ask_provider as must_ask from payment_intents where intent_id = $1',
    values: [intentId],
  });
  return rows[0]?.must_ask;
}

it('a created payment expires only after the provider was asked', async () => {
  const open = await world.payment('created');
  await world.reconcile([lineOf(open)]);
  const expire = { intentId: open, from: 'created', event: 'expire', actor: 'system' } as const;
  const { intents } = world.bed;
  await expect(intents.transition(expire)).resolves.toMatchObject({
    ...{ outcome: 'unasked', status: 'created' },
  });
  await expect(intents.transition({ ...expire, isKnownUnpaid: true })).resolves.toMatchObject({
    status: 'expired',
  });
});

it('a finding that was open before marks the payment, and raises no attention again', async () => {
  const open = await world.payment('created');
  await world.reconcile([lineOf(open)]);
  await world.bed.database.query({
    text: 'update payment_intents set must_ask_provider = false, attention_reason = null, attention_since = null',
  });
  await world.reconcile([lineOf(open)]);
  expect([await mustAsk(open), await world.attentionOf(open)]).toEqual([true, null]);
});

it('a captured payment is not marked, whatever the statement says of it', async () => {
  const [missing, other] = [await world.payment('captured'), await world.payment('captured')];
  await world.reconcile([lineOf(other, { amount_usd_cents: 1 })]);
  expect([await mustAsk(missing), await mustAsk(other)]).toEqual([false, false]);
});
