// An open row whose workflow has completed and is gone (decision 104): Temporal deletes it after
// the retention of its namespace. Nothing but `payctl intents resume --after-restore` starts
// another, which could pay a payment that was reported failed.
import { workflowGone } from '../../../src/domain/intents/attention';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { until } from '../../../src/dev/until';
import { createDeadlinePoller } from '../../../src/temporal/deadline-poller';
import { move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { runPayctl } from '../../support/programs/payctl';
import { SILENT } from '../../support/silent-log';
import { temporalAddress } from '../../support/servers/temporal-address';
import { said } from './payer';
import { isDone, repairerOf, withLiveSetup } from './setup';
import { OPEN_SENTENCES } from '../../support/payments/attention';

const { world, payer } = withLiveSetup();
/** A new namespace refuses starts for a moment, and no start would prove nothing. */
beforeAll(async () => {
  const isUp = async () => said(await payer.cancel(await payer.create())) === '200 cancelled';
  if (!(await until(isUp, { timeoutMs: 30_000 }))) throw new Error('the namespace is not up');
});
beforeEach(() => world.bed.setNow(NOON));

const DAY_SECONDS = 86_400;
/** The namespace keeps workflows for 30 days. */
const [OLDER, YOUNGER] = [31, 29];

/** An open payment without a workflow. */
async function anOpenPayment(status: 'created' | 'authorized' = 'created') {
  const intent = await payer.create({ isStartLost: true });
  if (status === 'authorized') await move(world.bed, intent.intentId, 'authorize');
  return intent;
}

async function aged(intent: PaymentIntent, days: number): Promise<PaymentIntent> {
  const text = `update payment_intents set check_at = created_at, created_at = $2 where intent_id = $1`;
  const createdAt = secondsAfter(NOON, -days * DAY_SECONDS);
  await world.bed.database.query({ text, values: [intent.intentId, createdAt] });
  return { ...intent, createdAt };
}

const isStarted = ({ intentId }: PaymentIntent) =>
  isDone(world.client.workflow.getHandle(intentId).describe());

async function rowOf({ intentId }: PaymentIntent) {
  const text = `select status, ${OPEN_SENTENCES} as attention from payment_intents i where intent_id = $1`;
  return (await world.bed.database.query({ text, values: [intentId] })).rows[0];
}

const pollDeadlines = () => {
  const { claims: payments, lostCommits: rows, intents, clock } = world.bed;
  const { client } = world;
  return createDeadlinePoller({ client, payments, rows, intents, clock, log: SILENT }).poll();
};

const intents = (...words: readonly string[]) =>
  runPayctl(world.bed, ['intents', ...words], {
    TEMPORAL_ADDRESS: temporalAddress(),
    TEMPORAL_NAMESPACE: world.client.options.namespace,
  });

const saying = (status: string) => ({
  status,
  attention: workflowGone(status as 'created').sentence,
});

describe('for an open row older than the retention of the namespace, without a workflow', () => {
  it.each(['confirm', 'cancel'] as const)(
    'a %s is answered 503, starts none and raises attention',
    async (what) => {
      const intent = await aged(await anOpenPayment(), OLDER);
      expect(said(await payer[what](intent))).toBe('503');
      await expect(isStarted(intent)).resolves.toBe(false);
      await expect(rowOf(intent)).resolves.toEqual(saying('created'));
    },
  );

  it.each(['created', 'authorized'] as const)(
    'the workflow repairer starts none for one that is %s, and raises attention',
    async (status) => {
      const intent = await aged(await anOpenPayment(status), OLDER);
      await world.bed.setNow(secondsAfter(NOON, 40));
      await repairerOf(world).poll();
      await expect(isStarted(intent)).resolves.toBe(false);
      await expect(rowOf(intent)).resolves.toEqual(saying(status));
    },
  );

  it('the deadline poller starts none and does not expire it, but raises attention', async () => {
    const intent = await aged(await anOpenPayment(), OLDER);
    await world.bed.setNow(secondsAfter(intent.expiresAt, 1));
    await pollDeadlines();
    await expect(isStarted(intent)).resolves.toBe(false);
    await expect(rowOf(intent)).resolves.toEqual(saying('created'));
  });

  it.each([
    ['created', ['confirm', '--reason', 'they called']],
    ['created', ['resume']],
    ['authorized', ['resume']],
  ] as const)('of one that is %s, payctl intents %j starts none', async (status, command) => {
    const intent = await aged(await anOpenPayment(status), OLDER);
    const [verb, ...more] = command;
    const ran = await intents(verb, intent.intentId, ...more);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('is gone')]);
    await expect(isStarted(intent)).resolves.toBe(false);
  });

  it('payctl intents resume --after-restore starts one, which the repairer leaves alone', async () => {
    const intent = await aged(await anOpenPayment(), OLDER);
    await repairerOf(world).poll();
    const ran = await intents('resume', intent.intentId, '--after-restore');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    await expect(isStarted(intent)).resolves.toBe(true);
    await world.bed.setNow(secondsAfter(NOON, 60));
    await repairerOf(world).poll();
    await expect(rowOf(intent)).resolves.toEqual({ status: 'created', attention: null });
  });
});

it.each(['confirm', 'cancel'] as const)(
  'of a row that says that its workflow has completed, a %s is answered 503 and starts none',
  async (what) => {
    const intent = await anOpenPayment();
    await world.bed.intents.setAttention(intent.intentId, workflowGone('created'));
    expect(said(await payer[what](intent))).toBe('503');
    await expect(isStarted(intent)).resolves.toBe(false);
  },
);

it('a workflow is started for a row that is younger than the retention', async () => {
  const intent = await aged(await anOpenPayment(), YOUNGER);
  expect(said(await payer.cancel(intent))).toBe('200 cancelled');
});

it('a cancel in the seconds after the deadline starts no workflow', async () => {
  const intent = await anOpenPayment();
  const text = `update payment_intents set created_at = $2::timestamptz - interval '30 min',
                       expires_at = $2, check_at = $2 where intent_id = $1`;
  await world.bed.database.query({ text, values: [intent.intentId, secondsAfter(NOON, -1)] });
  expect(said(await payer.cancel(intent))).toBe('503');
  await expect(isStarted(intent)).resolves.toBe(false);
  await pollDeadlines();
  expect(said(await payer.cancel(intent))).toBe('409');
});
