// Ten thousand resume signals, the most that Temporal accepts for one workflow: the payment goes
// on, and an operator learns of the long history before the limit ends the workflow (decision 104).
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { toPaymentStart } from '../../../src/domain/intents/payment-start';
import { recordResolution } from '../../../src/postgres/payouts/resolutions';
import { remindPayment } from '../../../src/temporal/payment-start';
import { resolvePayoutUpdate } from '../../../workflows/messages/messages';
import { aResolution } from '../../workflows/started-payment';
import { statusWhen, withLiveSetup } from './setup';
import { OPEN_SENTENCES } from '../../support/payments/attention';

const SIGNALS_MAX = 10_000;
const AT_ONCE = 50;
const WAIT = { timeoutMs: 60_000 };
/** The sandbox reports another amount as paid. */
const OTHER_AMOUNT_CENTS = 40_008;
const MISMATCH = /^The provider reports /;
const LONG = /The history of its workflow is long, .*\.$/;

const { world, payer } = withLiveSetup();

/** Sends as many signals as Temporal accepts. */
async function signalToTheLimit(intent: PaymentIntent): Promise<void> {
  const remind = () => remindPayment(world.client, toPaymentStart(intent));
  const send = async () => {
    for (let sent = 0; sent < SIGNALS_MAX / AT_ONCE; sent += 1) await remind();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  await expect(remind()).rejects.toThrow(/signal/i);
}

async function attentionOf({ intentId }: PaymentIntent): Promise<string | null | undefined> {
  const { rows } = await world.bed.database.query<{ readonly attention: string | null }>({
    text: `select ${OPEN_SENTENCES} as attention from payment_intents i where intent_id = $1`,
    values: [intentId],
  });
  return rows[0]?.attention;
}

const hasAttention = async (intent: PaymentIntent, reason: RegExp) =>
  reason.test((await attentionOf(intent)) ?? '');

it('ten thousand resume signals do not block a payment that waits for an operator, and the attention names its long history', async () => {
  const intent = await payer.create({ cents: OTHER_AMOUNT_CENTS });
  await payer.confirmUntilAnswered(intent);
  await expect(until(() => hasAttention(intent, MISMATCH), WAIT)).resolves.toBe(true);
  await world.withoutWorker(() => signalToTheLimit(intent));
  await expect(until(() => hasAttention(intent, LONG), WAIT)).resolves.toBe(true);
  await expect(hasAttention(intent, MISMATCH)).resolves.toBe(true);
  const workflow = world.client.workflow.getHandle(intent.intentId);
  const resolution = aResolution('paid');
  await recordResolution(world.bed.database, intent.intentId, resolution);
  await workflow.executeUpdate(resolvePayoutUpdate, { args: [resolution] });
  await expect(statusWhen(world, intent, 'captured')).resolves.toBe('captured');
  await expect(hasAttention(intent, LONG)).resolves.toBe(false);
});
