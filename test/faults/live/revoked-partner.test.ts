// A partner whose signing key is revoked and whose endpoint is disabled in the middle of a payment: its signatures count no more,
// the payment ends as its payer was told, and its webhook is sent once the endpoint is enabled again.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { revokeKey } from '../../../src/ops/keys/signing-keys';
import { disableWebhook, setWebhook } from '../../../src/ops/webhooks/endpoint';
import { replayMany } from '../../../src/ops/webhooks/replay-events';
import { recogniseErrorsOfNode } from '../../support/builders';
import { openPayer, said, truthOf } from './payer';
import { withLiveScene } from './setup';
import type { HeldStep } from './holds';

recogniseErrorsOfNode();

const TEST_TIMEOUT_MS = 60_000;
const OPERATOR = { actor: 'operator', reason: 'the partner was broken into' };

/** Nobody listens there: no attempt is made in these tests. */
const NOWHERE = 'http://127.0.0.1:9/webhooks';

const { world } = withLiveScene();

async function breakOff({ partnerId }: PaymentIntent) {
  const { database } = world.bed;
  const text = 'select key_id from signing_keys where partner_id = $1';
  const { rows } = await database.query<{ readonly key_id: string }>({ text, values: [partnerId] });
  for (const { key_id } of rows) await revokeKey(database, key_id);
  await disableWebhook(database, partnerId, OPERATOR);
}

async function eventsOf({ intentId }: PaymentIntent) {
  const { rows } = await world.bed.database.query<{ readonly event: string }>({
    text: `select type || ' ' || state as event from webhook_events where intent_id = $1`,
    values: [intentId],
  });
  return rows.map(({ event }) => event);
}

const STEPS: readonly HeldStep[] = ['authorize', 'payOut', 'order', 'capture'];

it.each(STEPS)(
  'broken off at its step %s it is captured and paid once, and its webhook is missed and then owed',
  async (step) => {
    const payer = await openPayer(world, NOWHERE);
    const intent = await payer.create();
    const hold = world.holds.hold(intent.intentId, step);
    const confirming = payer.confirm(intent);
    await hold.begun;
    await breakOff(intent);
    const refused = said(await payer.read(intent));
    hold.letGo();
    expect([refused, said(await confirming)]).toEqual(['401', '200 captured']);
    expect(await truthOf(world, intent)).toEqual({
      ...{ status: 'captured', moved: ['capture', 'debit'], executed: [1_250] },
    });
    expect(said(await payer.cancel(intent))).toBe('401');
    expect(await eventsOf(intent)).toEqual(['payment_intent.captured missed']);
    const { database, seal } = world.bed;
    const { partnerId } = intent;
    await setWebhook({ database, seal }, { partnerId }, OPERATOR);
    await replayMany(
      { database, onProgress: () => undefined },
      { partnerId, since: undefined },
      OPERATOR,
    );
    expect(await eventsOf(intent)).toEqual(['payment_intent.captured owed']);
    await payer.close();
  },
  TEST_TIMEOUT_MS,
);
