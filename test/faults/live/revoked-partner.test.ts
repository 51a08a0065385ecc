// A partner's signing key is revoked and its endpoint disabled during a payment: its signatures are
// rejected, the payment ends as its payer was answered, and the webhook is pending once the
// endpoint is enabled again.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { revokeKey } from '../../../src/ops/keys/revoke';
import { disableWebhook } from '../../../src/ops/webhooks/disable';
import { setWebhook } from '../../../src/ops/webhooks/set';
import { replayMany } from '../../../src/ops/webhooks/replay-events';
import { recogniseErrorsOfNode } from '../../support/builders';
import { openPayer, said, truthOf } from './payer';
import { withLiveSetup } from './setup';
import type { HeldStep } from './held-steps';

recogniseErrorsOfNode();

const OPERATOR = { actor: 'operator', reason: 'the partner was broken into' };

/** An address without a server: these tests make no attempt. */
const NOWHERE = 'http://127.0.0.1:9/webhooks';

const { world } = withLiveSetup();

async function breakOff({ partnerId }: PaymentIntent) {
  const { database } = world.bed;
  const text = 'select key_id from signing_keys where partner_id = $1';
  const { rows } = await database.query<{ readonly key_id: string }>({ text, values: [partnerId] });
  for (const { key_id } of rows) await revokeKey(database, key_id, OPERATOR, { yes: true });
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
  'at step %s: the payment is captured and paid once, and its webhook is skipped and then pending',
  async (step) => {
    const payer = await openPayer(world, NOWHERE);
    const intent = await payer.create();
    const hold = world.holds.hold(intent.intentId, step);
    const { confirming } = await payer.confirmUntil(hold, intent);
    await breakOff(intent);
    const rejected = said(await payer.read(intent));
    hold.release();
    expect([rejected, said(await confirming)]).toEqual(['401', '200 captured']);
    expect(await truthOf(world, intent)).toEqual({
      ...{ status: 'captured', moved: ['capture', 'debit'], executed: [1_250] },
    });
    expect(said(await payer.cancel(intent))).toBe('401');
    expect(await eventsOf(intent)).toEqual(['payment_intent.captured skipped']);
    const { database, seal } = world.bed;
    const { partnerId } = intent;
    await setWebhook({ database, seal }, { partnerId }, OPERATOR);
    await replayMany(
      { database, onProgress: () => undefined },
      { partnerId, since: undefined },
      OPERATOR,
    );
    expect(await eventsOf(intent)).toEqual(['payment_intent.captured pending']);
    await payer.close();
  },
);
