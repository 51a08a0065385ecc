// `payctl intents refund` (decision 16): done when it returns, rejected a second time, and never
// guessed while Temporal or its workers are unavailable.
import { randomBytes } from 'node:crypto';
import type { PaymentStart } from '../../../src/domain/intents/payment-start';
import type { IntentStory } from '../../../src/ops/intents/story';
import { refundIntent } from '../../../src/ops/intents/refund';
import { until } from '../../../src/dev/until';
import { withPaymentWorld } from '../../support/payment-world';
import type { ScriptedAnswer } from '../../support/payments/scripted-provider';
import { createLatch, type Latch } from '../../faults/live/latch';
import { expectRejected, jsonOf, runPayctl } from '../../support/programs/payctl';

/** Blocks the write of a refund, before or after its effect. */
let held: { readonly before?: Latch; readonly after?: Latch } = {};
/** What the provider says; paid unless a test has changed it. */
const answers: ScriptedAnswer[] = ['paid'];
let canQuery = true;
const world = withPaymentWorld({
  provider: answers,
  wrap: (activities) => ({
    ...activities,
    async recordTransition(command) {
      if (command.event !== 'refund') return activities.recordTransition(command);
      const { before, after } = held;
      await before?.isOpen;
      const report = await activities.recordTransition(command);
      await after?.isOpen;
      return report;
    },
    hasMoneyReturned: (payout) =>
      canQuery ? activities.hasMoneyReturned(payout) : Promise.reject(new Error('no worker')),
  }),
});
beforeEach(() => {
  held = {};
  canQuery = true;
  answers[0] = 'paid';
});

async function captured(): Promise<PaymentStart> {
  const payment = await world.create();
  await world.start(payment);
  await expect(world.confirm(payment, randomBytes(32).toString('hex'))).resolves.toEqual({
    status: 'captured',
  });
  return payment;
}

const refundByCommand = (intentId: string, ...more: readonly string[]) =>
  runPayctl(world, ['intents', 'refund', intentId, ...more], {
    TEMPORAL_ADDRESS: world.environment.address,
  });

/** The same with another timeout. */
const refund = (intentId: string, { actor = 'ann', waitMs = 10_000 } = {}) =>
  refundIntent(
    {
      database: world.database,
      client: world.environment.client,
      deadline: AbortSignal.timeout(waitMs),
    },
    { intentId, actor, reason: null },
  );

const refundsOf = (intentId: string) =>
  world.rows(
    `select actor, reason from intent_transitions where to_status = 'refunded' and intent_id = $1`,
    intentId,
  );

it('refunds a captured payment, and says who and why in the audit trail', async () => {
  const { intentId } = await captured();
  const story = jsonOf(
    await refundByCommand(
      intentId,
      ...['--as', 'ann', '--reason', 'requested by the payer', '--json'],
    ),
  ) as IntentStory;
  expect(story).toMatchObject({ intent_id: intentId, status: 'refunded' });
  expect(story).not.toHaveProperty('captured_at');
  await expect(refundsOf(intentId)).resolves.toEqual([
    { actor: 'ann', reason: 'requested by the payer' },
  ]);
});

describe('the cause in the audit trail', () => {
  const reasonOf = async (intentId: string, ...more: readonly string[]) => {
    const story = jsonOf(await refundByCommand(intentId, '--json', ...more)) as IntentStory;
    return story.transitions.at(-1)?.reason;
  };
  const stated = (intentId: string) =>
    world.rows(
      `with r as (insert into reconciliations (actor, statement, statement_sha256, since, until, lines)
                  values ('ann', 'statement.csv', sha256(''), now(), now(), 1)
                  returning reconciliation_id as id)
       insert into reconcile_findings (kind, payout_key, intent_id, times, moved_from, moved_until,
                                       found_by, last_seen_by)
       select 'returned', $1 || ':payout', $1, 1, now(), now(), id, id from r`,
      intentId,
    );

  it.each(['returned', 'declined'] as const)(
    'is money that came back, if the provider says %s',
    async (answer) => {
      const [one, other] = [await captured(), await captured()];
      answers[0] = answer;
      await expect(reasonOf(one.intentId)).resolves.toBe('returned');
      const reason = await reasonOf(other.intentId, '--reason', 'its bank called');
      expect(reason).toBe('returned: its bank called');
    },
  );

  it('is money that came back, if a statement says so, and closes its finding', async () => {
    const { intentId } = await captured();
    await stated(intentId);
    await expect(reasonOf(intentId)).resolves.toBe('returned');
    await expect(
      world.rows(
        'select closed_at is null as is_open, closed_by from reconcile_findings where intent_id = $1',
        intentId,
      ),
    ).resolves.toEqual([{ is_open: false, closed_by: null }]);
  });

  it('is the operator’s while the provider is silent, and where it cannot be queried', async () => {
    const [one, other] = [await captured(), await captured()];
    answers[0] = 'unknown';
    await expect(reasonOf(one.intentId, '--reason', 'asked for')).resolves.toBe('asked for');
    [answers[0], canQuery] = ['returned', false];
    await expect(reasonOf(other.intentId, '--reason', 'asked for')).resolves.toBe('asked for');
  });
});

it('shows where the money is, and rejects a second refund', async () => {
  const { intentId } = await captured();
  const first = await refundByCommand(intentId, '--as', 'ann');
  expect(first.code).toBe(0);
  expect(first.stdout).toContain(
    '12.50 USD are back in the holding account; the provider of th_qrpay owes them.',
  );
  expectRejected(
    await refundByCommand(intentId, '--as', 'bob'),
    1,
    /was refunded by ann at .*nothing was moved now\.$/m,
  );
  await expect(refundsOf(intentId)).resolves.toEqual([{ actor: 'ann', reason: null }]);
});

it('does not say that a partner is notified whose endpoint is disabled', async () => {
  const { intentId } = await captured();
  await world.database.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types, disabled_at,
                                          disabled_reason)
           select partner_id, 'https://world.example', '', '{payment_intent.refunded}', now(), 'gone'
             from partners`,
  });
  const { stdout } = await refundByCommand(intentId);
  await world.database.query({ text: 'delete from webhook_endpoints' });
  expect(stdout).toContain('payment_intent.refunded was skipped');
  expect(stdout).toContain('The partner gets no webhook for it.');
});

it('is done once of ten requests at once, and the other nine say so', async () => {
  const { intentId } = await captured();
  const actors = Array.from({ length: 10 }, (_, index) => `operator ${String(index)}`);
  const outcomes = await Promise.allSettled(actors.map((actor) => refund(intentId, { actor })));
  const done = actors.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  expect(done).toHaveLength(1);
  await expect(refundsOf(intentId)).resolves.toEqual([{ actor: done[0], reason: null }]);
  const rejected = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(rejected.map(({ reason }) => String(reason))).toEqual(
    Array.from({ length: 9 }, () => expect.stringContaining('was refunded by') as unknown),
  );
});

it('is rejected for a payment that is not captured, and for an unknown one', async () => {
  const { intentId } = await world.create();
  expectRejected(
    await refundByCommand(intentId),
    1,
    `Only a captured payment can be refunded, and ${intentId} is created. Nothing was moved.`,
  );
  await expect(refund('pi_nothing')).rejects.toThrow('is not an intent id');
  await expect(refund(`pi_${'0'.repeat(26)}`)).rejects.toThrow('There is no intent');
});

it('is rejected if the ledger holds no capture, and points to the ledger check', async () => {
  const { intentId } = await captured();
  await world.database.query({
    text: `delete from ledger_transfers where transfer_key = $1 || ':capture'`,
    values: [intentId],
  });
  await expect(refund(intentId)).rejects.toThrow('Run "payctl ledger check"');
  await expect(refundsOf(intentId)).resolves.toEqual([]);
});

it('is rejected while a workflow is open whose refund a restore of Postgres has lost', async () => {
  const { intentId } = await captured();
  await world.database.query({
    text: `insert into webhook_endpoints (partner_id, url, secret_sealed, event_types)
           select partner_id, 'https://world.example', '', '{payment_intent.refunded}'
             from partners`,
  });
  // The event is pending, so the workflow stays open.
  await refund(intentId);
  await loseRefund(intentId);
  await expect(refund(intentId, { actor: 'bob' })).rejects.toThrow(
    `The workflow refund:${intentId} has refunded it, but its row is captured`,
  );
  await expect(refundsOf(intentId)).resolves.toEqual([]);
  await world.database.query({ text: 'delete from webhook_endpoints' });
});

/** As a restore of Postgres to a time before the refund. */
function loseRefund(intentId: string): Promise<unknown> {
  return world.database.inTransaction(async (connection) => {
    const lose = (text: string, ...values: string[]) => connection.query({ text, values });
    await lose('set local session_replication_role = replica');
    await lose('delete from webhook_events where intent_id = $1', intentId);
    await lose(`delete from ledger_transfers where transfer_key = $1 || ':refund'`, intentId);
    await lose(
      `delete from intent_transitions where intent_id = $1 and to_status = 'refunded'`,
      intentId,
    );
    await lose(`update payment_intents set status = 'captured' where intent_id = $1`, intentId);
  });
}

it('says so if no worker answers, and a repeat finds the refund', async () => {
  const before = createLatch();
  held = { before };
  const { intentId } = await captured();
  await expect(refund(intentId, { waitMs: 500 })).rejects.toThrow(
    /Temporal gave no answer .* is still captured\..*It is safe to repeat this command/,
  );
  before.open();
  await until(async () => (await refundsOf(intentId)).length > 0, { timeoutMs: 20_000 });
  await expect(refund(intentId)).rejects.toThrow('was refunded by ann');
  await expect(refundsOf(intentId)).resolves.toHaveLength(1);
});

it('reads its own refund from the row if only the answer was lost', async () => {
  const after = createLatch();
  held = { after };
  const { intentId } = await captured();
  const refunding = refund(intentId, { waitMs: 1_500 });
  await expect(refunding).resolves.toMatchObject({ status: 'refunded' });
  after.open();
});

it('says in a sentence that Temporal does not answer, and moves nothing', async () => {
  const { intentId } = await captured();
  expectRejected(
    await runPayctl(world, ['intents', 'refund', intentId], {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    }),
    1,
    /^payctl: Temporal gave no answer \(.*\), and pi_\w+ is still captured/,
  );
  await expect(refundsOf(intentId)).resolves.toEqual([]);
});
