// Attention as rows of closed kinds: what raises and ends each, and what `workflow_gone` prevents.
import {
  ATTENTION_ENDS,
  ATTENTION_KINDS,
  workflowGone,
  type AttentionKind,
} from '../../../src/domain/intents/attention';
import type { IntentId } from '../../../src/domain/ids';
import { INTENT_STATUSES } from '../../../src/domain/intents/payment-intent';
import { acknowledgeAttention, endWorkflowGone } from '../../support/operators';
import { withDatabase, withPartner } from '../../support/brackets';
import { aDebitedIntent, anIntent, intentsWithin, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { anAttention } from '../../support/payments/attention';
import { beginAttempt, recordSent } from '../../support/payments/payouts';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const rowsOf = async <Row extends object>(text: string, ...values: unknown[]) =>
  (await bed.database.query<Row>({ text, values })).rows;

const attentionOf = (intentId: IntentId) =>
  rowsOf(
    'select kind, since, sentence, ended_by from attention where intent_id = $1 order by 1',
    intentId,
  );

const shownOn = async (intentId: IntentId) => {
  const [shown] = await rowsOf(
    'select attention_since, is_workflow_gone from payment_intents where intent_id = $1',
    intentId,
  );
  return shown;
};

const openKinds = async (intentId: IntentId) =>
  (
    await rowsOf<{ readonly kind: AttentionKind }>(
      'select kind from attention where intent_id = $1 and ended_at is null order by kind',
      intentId,
    )
  ).map(({ kind }) => kind);

/** Waits until a statement of this database waits for a lock. */
async function untilOneWaits(): Promise<void> {
  let waiting: readonly object[] = [];
  while (waiting.length === 0) {
    waiting = await rowsOf(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
  }
}

it('Postgres has the table of what ends which kind', async () => {
  const statuses = INTENT_STATUSES.filter((status) => status !== 'created');
  const ends = {
    ...{ any: statuses, captured: ['captured'], refunded: ['refunded'], none: [] },
    given_back: ['failed', 'cancelled', 'expired', 'refunded'],
  };
  const expected = ATTENTION_KINDS.map((kind) => ({
    kind,
    ended_by: [...ends[ATTENTION_ENDS[kind]]].sort(),
  }));
  const stored = await rowsOf(
    'select kind, array(select unnest(ended_by) order by 1) as ended_by from attention_kinds',
  );
  expect(stored).toEqual(expect.arrayContaining(expected));
  expect(stored).toHaveLength(expected.length);
});

describe('what is raised', () => {
  it('of a kind that is open already keeps its time and gets the new sentence', async () => {
    const { intentId } = await anIntent(bed, partner);
    await bed.intents.setAttention(intentId, anAttention('one'));
    await bed.setNow(secondsAfter(NOON, 5));
    await bed.intents.setAttention(intentId, anAttention('two'));
    await expect(attentionOf(intentId)).resolves.toEqual([
      { kind: 'payout_unknown', since: NOON, sentence: 'two', ended_by: null },
    ]);
  });

  it('shows since when on the intent, until the last of it has ended', async () => {
    const { intentId } = await aDebitedIntent(bed, partner);
    await bed.intents.setAttention(intentId, anAttention('one'));
    await bed.setNow(secondsAfter(NOON, 5));
    await bed.intents.setAttention(intentId, anAttention('two', 'paid_twice'));
    await expect(shownOn(intentId)).resolves.toMatchObject({ attention_since: NOON });
    await move(bed, intentId, 'capture');
    await expect(shownOn(intentId)).resolves.toMatchObject({
      attention_since: secondsAfter(NOON, 5),
    });
    const by = { intentId, actor: 'ann', reason: 'settled' };
    await acknowledgeAttention(bed.database, { ...by, kinds: ['paid_twice'] });
    await expect(shownOn(intentId)).resolves.toMatchObject({ attention_since: null });
    await expect(attentionOf(intentId)).resolves.toMatchObject([
      { kind: 'paid_twice', ended_by: 'ann' },
      { kind: 'payout_unknown', ended_by: 'captured' },
    ]);
  });

  it('of a payment that is over is only written for one that is over', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'cancelled' });
    await bed.intents.setAttention(intentId, anAttention('one'));
    await expect(openKinds(intentId)).resolves.toEqual([]);
    await bed.intents.setAttention(intentId, anAttention('one'), true);
    await expect(openKinds(intentId)).resolves.toEqual(['payout_unknown']);
  });

  it('and has ended can no longer be changed', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    await bed.intents.setAttention(intentId, anAttention('one'), true);
    const by = { intentId, actor: 'ann', reason: 'settled' };
    await acknowledgeAttention(bed.database, { ...by, kinds: ['payout_unknown'] });
    for (const change of ["ended_by = 'eve'", 'ended_at = null, ended_by = null']) {
      const text = `update attention set ${change} where intent_id = $1`;
      await expect(rowsOf(text, intentId)).rejects.toMatchObject({
        message: expect.stringMatching(/^attention \d+ has ended$/) as unknown,
      });
    }
  });

  it('while a status change waits for the row is ended by it', async () => {
    const { intentId } = await anIntent(bed, partner);
    const { moving } = await bed.database.inTransaction(async (connection) => {
      const raised = anAttention('the provider does not deny it', 'may_be_paid');
      await intentsWithin(connection).setAttention(intentId, raised);
      const moving = move(bed, intentId, 'authorize');
      await untilOneWaits();
      return { moving };
    });
    await expect(moving).resolves.toMatchObject({ status: 'authorized' });
    await expect(openKinds(intentId)).resolves.toEqual([]);
    await expect(shownOn(intentId)).resolves.toMatchObject({ attention_since: null });
  });
});

describe('an acknowledgement', () => {
  it('ends the kinds that the operator has seen', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    for (const kind of ['paid_twice', 'amount_differs'] as const) {
      await bed.intents.setAttention(intentId, anAttention(kind, kind), true);
    }
    const by = { intentId, actor: 'ann', reason: 'settled' };
    const ended = await acknowledgeAttention(bed.database, { ...by, kinds: ['paid_twice'] });
    expect(ended).toBe(true);
    await expect(openKinds(intentId)).resolves.toEqual(['amount_differs']);
  });

  it('ends nothing of an open payment', async () => {
    const { intentId } = await anIntent(bed, partner);
    await bed.intents.setAttention(intentId, anAttention('one'));
    const by = { intentId, actor: 'ann', reason: 'settled' };
    const ended = await acknowledgeAttention(bed.database, { ...by, kinds: ['payout_unknown'] });
    expect(ended).toBe(false);
    await expect(openKinds(intentId)).resolves.toEqual(['payout_unknown']);
  });
});

// **Danger: double payment.** Another workflow may pay a payment that was reported failed.
describe('a payment with workflow_gone', () => {
  it('workflow_gone: is not authorized, before operators have compared', async () => {
    const { intentId } = await anIntent(bed, partner);
    await bed.intents.setAttention(intentId, workflowGone('created'));
    await expect(move(bed, intentId, 'authorize')).resolves.toMatchObject({
      ...{ outcome: 'not_allowed', status: 'created' },
    });
    await endWorkflowGone(bed.database, intentId);
    await expect(move(bed, intentId, 'authorize')).resolves.toMatchObject({ outcome: 'did' });
  });

  it('workflow_gone: is not debited', async () => {
    const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
    await bed.intents.setAttention(intentId, workflowGone('authorized'));
    await expect(bed.funds.debit(intentId, amountUsdCents)).resolves.toBe('not_authorized');
  });

  it('workflow_gone: is not sent, and its row says that no payout may be attempted', async () => {
    const { intentId } = await aDebitedIntent(bed, partner);
    await bed.restoreWatch.tick({ ticks: 0, atMs: null });
    await bed.intents.setAttention(intentId, workflowGone('authorized'));
    await expect(recordSent(bed, intentId)).resolves.toBeUndefined();
    await expect(beginAttempt(bed, intentId)).resolves.toEqual({ kind: 'not_payable' });
    await expect(bed.intents.readCurrentState(intentId)).resolves.toMatchObject({
      isPayable: false,
    });
    await endWorkflowGone(bed.database, intentId);
    await expect(recordSent(bed, intentId)).resolves.toBeDefined();
  });

  it('workflow_gone: is not ended by another status', async () => {
    const { intentId } = await aDebitedIntent(bed, partner);
    await bed.intents.setAttention(intentId, workflowGone('authorized'));
    await move(bed, intentId, 'capture');
    await expect(openKinds(intentId)).resolves.toEqual(['workflow_gone']);
    await expect(bed.intents.isWorkflowGone(intentId)).resolves.toBe(true);
  });
});
