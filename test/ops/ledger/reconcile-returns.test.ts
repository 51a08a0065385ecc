// A statement says that the money of a payout came back: a finding of its own kind, until a refund
// or the release of the debit has booked it (decision 152).
import { nextCommand } from '../../../src/ops/ledger/reconcile/finding-sentences';
import { move } from '../../support/builders';
import { anAttention } from '../../support/payments/attention';
import { untilBlocked } from '../../support/until-blocked';
import {
  kindsIn,
  lineOf,
  MIDDLE,
  minutes,
  moveBeforeStoring,
  withReconciliation,
  type StatedLine,
} from './reconcile-world';

const world = withReconciliation();

type At = Partial<StatedLine> & { readonly at?: number };
const returnOf = (intentId: string, line: At = {}) =>
  lineOf(intentId, { at: MIDDLE + 10, ...line, status: 'returned' });
const bothOf = (intentId: string) => [lineOf(intentId), returnOf(intentId)];

const openKinds = async () => {
  const { rows } = await world.bed.database.query<{ readonly kind: string }>({
    text: 'select kind from reconcile_findings where closed_at is null order by finding_id',
  });
  return rows.map(({ kind }) => kind);
};

describe('money that came back', () => {
  it.each([
    ['is a finding beside the line of its payment', bothOf],
    ['is a finding where the payment has only that line', (id: string) => [returnOf(id)]],
    [
      'is a finding though its line is too near an edge',
      (id: string) => [lineOf(id), returnOf(id, { at: 117 })],
    ],
  ])('%s, if the payment is captured', async (_what, linesOf) => {
    const captured = await world.payment('captured');
    const reconciled = await world.reconcile(linesOf(captured));
    expect(kindsIn(reconciled)).toEqual([['returned', `${captured}:payout`]]);
    expect(await world.attentionOf(captured)).toBe(
      `The provider’s statement lists its payout as returned, and here it is captured. (reconciliation ${String(reconciled.reconciliationId)})`,
    );
    expect(reconciled.findings.map(nextCommand)).toEqual([`payctl intents refund ${captured}`]);
  });

  it.each(['created', 'authorized'] as const)(
    'of a payment that is %s is a finding, and the provider is queried before it ends',
    async (status) => {
      const open = await world.payment(status);
      await world.bed.intents.setAttention(open, anAttention('Unknown.', 'payout_unknown'));
      const { findings } = await world.reconcile(bothOf(open));
      expect(findings).toMatchObject([{ kind: 'returned', status }]);
      // Never `resolve --outcome paid`: the payee does not have the money.
      expect(findings.map(nextCommand)).toEqual([`payctl intents show ${open}`]);
      const { rows } = await world.bed.database.query({
        text: 'select must_query_provider from payment_intents where intent_id = $1',
        values: [open],
      });
      expect(rows).toEqual([{ must_query_provider: true }]);
    },
  );

  it.each(['refunded', 'failed', 'cancelled', 'expired'] as const)(
    'of a payment that is %s is no finding: both books say that it is ours',
    async (status) => {
      const other = await world.payment(status);
      expect(await world.reconcile(bothOf(other))).toMatchObject({ isClean: true, lines: 2 });
    },
  );

  it('of another amount is a finding, refunded or not', async () => {
    const refunded = await world.payment('refunded');
    const lines = [lineOf(refunded), returnOf(refunded, { amount_usd_cents: 1_200 })];
    expect(await world.reconcile(lines)).toMatchObject({
      findings: [{ kind: 'amount_differs', line: 2, stated_usd_cents: 1_200 }],
    });
  });

  it('of no payment of ours is an unknown key', async () => {
    const reconciled = await world.reconcile([returnOf('', { key: 'pi_7' })]);
    expect(kindsIn(reconciled)).toEqual([['key_unknown', 'pi_7']]);
  });

  it('twice, or before a second payment, is a payout that is there twice', async () => {
    const [twice, again] = [await world.payment('refunded'), await world.payment('refunded')];
    const reconciled = await world.reconcile([
      ...[...bothOf(twice), returnOf(twice)],
      ...[...bothOf(again), lineOf(again, { at: MIDDLE + 20 })],
    ]);
    expect(reconciled.findings).toMatchObject([
      { kind: 'paid_twice', intent_id: twice, times: 2 },
      { kind: 'paid_twice', intent_id: again, times: 2 },
    ]);
  });

  it.each([
    ['captured', 'paid_twice'],
    ['failed', 'paid_not_captured'],
  ] as const)('and was paid again is no return: the payee has it (%s)', async (status, kind) => {
    const payment = await world.payment(status);
    const { findings } = await world.reconcile([
      ...[...bothOf(payment), lineOf(payment, { at: MIDDLE + 20 })],
    ]);
    const kinds = findings.map((finding) => finding.kind);
    expect(kinds).toContain(kind);
    expect(kinds).not.toContain('returned');
  });

  it('still needs attention after a capture', async () => {
    const payment = await world.payment('authorized');
    await world.reconcile(bothOf(payment));
    const said = await world.attentionOf(payment);
    await move(world.bed, payment, 'capture', { from: 'authorized' });
    expect(await world.attentionOf(payment)).toBe(said);
  });

  it('is listed with the line of the return', async () => {
    const [captured, other] = [await world.payment('captured'), await world.payment('captured')];
    const lines = [lineOf(captured), lineOf(other), returnOf(captured)];
    expect(await world.reconcile(lines)).toMatchObject({
      findings: [{ kind: 'returned', line: 3, times: 1, moved_until: minutes(MIDDLE + 10) }],
    });
  });
});

describe('a finding of money that came back', () => {
  it.each([
    ['captured', 'refund'],
    ['authorized', 'fail'],
  ] as const)('of a payment that is %s is closed by the %s', async (from, event) => {
    const payment = await world.payment(from);
    const lines = bothOf(payment);
    await world.reconcile(lines);
    await move(world.bed, payment, event, { from });
    expect([await openKinds(), await world.attentionOf(payment)]).toEqual([[], null]);
    expect(await world.reconcile(lines)).toMatchObject({ isClean: true, closed: 0 });
  });

  it('is not stored for a payment that was refunded after the books were read', async () => {
    const captured = await world.payment('captured');
    await moveBeforeStoring(world, captured, 'refunded');
    expect(await world.reconcile(bothOf(captured))).toMatchObject({ isClean: true, findings: [] });
  });

  it('is closed by the refund that a later statement waits for, and neither fails', async () => {
    const captured = await world.payment('captured');
    await world.reconcile(bothOf(captured));
    const values = [captured];
    const { later } = await world.bed.database.inTransaction(async (refund) => {
      await refund.query({
        text: 'select from payment_intents where intent_id = $1 for no key update',
        values,
      });
      const later = world.reconcile([lineOf(captured)]);
      await untilBlocked(refund);
      await refund.query({
        text: 'update reconcile_findings set closed_at = service_now() where intent_id = $1',
        values,
      });
      return { later };
    });
    await expect(later).resolves.toMatchObject({ isClean: true, closed: 0 });
  });

  it('that a later statement takes back is closed, and its attention is for an operator', async () => {
    const captured = await world.payment('captured');
    await world.reconcile(bothOf(captured));
    expect(await world.reconcile([lineOf(captured)])).toMatchObject({ isClean: true, closed: 1 });
    expect(await world.attentionOf(captured)).toContain('as returned');
  });
});
