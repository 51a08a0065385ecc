// A payout's activity is completed through Temporal's own API, as "temporal activity complete" does
// (decision 145): the payment ends only by the provider's answer in our rows.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { recogniseErrorsOfNode } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { truthOf } from './payer';
import { isDone, statusWhen, withLiveSetup } from './setup';
import { OPEN_SENTENCES } from '../../support/payments/attention';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 30_000 };
/** src/sandbox/scenarios.ts: no answer, and never known. */
const SILENT_CENTS = 40_005;
/** Pending for 30 s, then declined. */
const SLOWLY_DECLINED_CENTS = 40_009;

const live = withLiveSetup();

/** How often the payout was given to an activity. */
async function payoutsOf({ intentId }: PaymentIntent): Promise<number> {
  const { events } = await live.world.client.workflow.getHandle(intentId).fetchHistory();
  const scheduled = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name ?? [],
  );
  return scheduled.filter((name) => name === 'payOut').length;
}

/** Completes the activity of the payout, once there is one. */
async function complete({ intentId: workflowId }: PaymentIntent, result: unknown): Promise<void> {
  const forge = () =>
    isDone(live.world.client.activity.complete({ workflowId, activityId: 'payout' }, result));
  expect(await until(forge, WAIT)).toBe(true);
}

async function confirmedUnanswered(cents: number): Promise<PaymentIntent> {
  const intent = await live.payer.create({ cents });
  // The start is queued: the workflow may be there a moment after the answer to the create.
  const { workflow } = live.world.client;
  const isStarted = () => isDone(workflow.getHandle(intent.intentId).describe());
  expect(await until(isStarted, WAIT)).toBe(true);
  const confirming = live.payer.confirm(intent, undefined, { headers: { Prefer: 'wait=0' } });
  expect(await until(async () => (await payoutsOf(intent)) > 0, WAIT)).toBe(true);
  await confirming;
  return intent;
}

it.each([
  { outcome: 'declined' },
  { outcome: 'paid' },
  { outcome: 'paid', captured: { status: 'captured', eventId: null } },
  { outcome: 'not_authorized' },
  { outcome: 'an invention' },
  null,
])(
  'a payout that the provider does not answer stays authorized although Temporal says %j',
  async (result) => {
    const { bed, client } = live.world;
    const intent = await confirmedUnanswered(SILENT_CENTS);
    await complete(intent, result);
    // The workflow queries the provider again.
    expect(await until(async () => (await payoutsOf(intent)) === 2, WAIT)).toBe(true);
    await expect(truthOf(live.world, intent)).resolves.toEqual({
      ...{ status: 'authorized', moved: ['debit'], executed: [] },
    });
    const { rows } = await bed.database.query({
      text: `select ${OPEN_SENTENCES} as attention, (select count(*) from payout_stops) as stops
               from payment_intents i where intent_id = $1`,
      values: [intent.intentId],
    });
    expect(rows).toEqual([{ attention: null, stops: 0 }]);
    await client.workflow.getHandle(intent.intentId).terminate('the test is over');
  },
);

it('a payout that the provider declines is failed, and never captured, although Temporal says paid', async () => {
  const intent = await confirmedUnanswered(SLOWLY_DECLINED_CENTS);
  await complete(intent, { outcome: 'paid' });
  expect(await until(async () => (await payoutsOf(intent)) === 2, WAIT)).toBe(true);
  await live.world.bed.setNow(secondsAfter(NOON, 31));
  await expect(statusWhen(live.world, intent, 'failed')).resolves.toBe('failed');
  await expect(truthOf(live.world, intent)).resolves.toMatchObject({
    ...{ moved: ['debit', 'release'], executed: [] },
  });
});
