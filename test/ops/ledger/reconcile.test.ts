// `payctl reconcile` compares "our books against the provider's, per payout key, in integer cents":
// it finds each planted difference, and invents none (decision 130).
import { BadOption } from '../../../src/ops/rejection';
import { anIntentId, move } from '../../support/builders';
import { jsonLines, kindsIn, lineOf, MIDDLE, minutes, withReconciliation } from './reconcile-world';

const world = withReconciliation();

describe('books that agree', () => {
  it('are clean: captured and refunded payments are in the statement, and no others', async () => {
    const captured = await world.payment('captured');
    const refunded = await world.payment('refunded');
    for (const status of ['created', 'authorized', 'failed', 'cancelled', 'expired'] as const) {
      await world.payment(status);
    }
    const reconciled = await world.reconcile([lineOf(captured), lineOf(refunded)]);
    expect(reconciled).toMatchObject({ isClean: true, differences: 0, findings: [], lines: 2 });
    expect(reconciled.reconciledPeriod).toEqual({ since: minutes(5), until: minutes(115) });
  });

  it('are clean where the statement also has payouts that moved no money', async () => {
    const [captured, failed] = [await world.payment('captured'), await world.payment('failed')];
    const open = await world.payment('authorized');
    const reconciled = await world.reconcile([
      lineOf(captured, { status: 'paid' }),
      lineOf(failed, { status: 'declined' }),
      lineOf(open, { status: 'pending' }),
    ]);
    expect(reconciled).toMatchObject({ isClean: true, lines: 1, linesNotPaid: 2 });
  });

  it('are recorded with the operator and the statement', async () => {
    const captured = await world.payment('captured');
    const { reconciliationId, sha256 } = await world.reconcile([lineOf(captured)]);
    const { rows } = await world.bed.database.query({
      text: `select reconciliation_id, actor, statement, statement_sha256, since, until, lines,
                    corridor, finished_at is not null as is_finished
               from reconciliations`,
    });
    expect(rows).toEqual([
      {
        ...{ reconciliation_id: reconciliationId, actor: 'ann', statement: 'statement.jsonl' },
        ...{ statement_sha256: sha256, since: minutes(0), until: minutes(120), lines: 1 },
        ...{ corridor: null, is_finished: true },
      },
    ]);
  });
});

describe('a difference is found', () => {
  it.each(['failed', 'cancelled', 'expired', 'created', 'authorized'] as const)(
    'paid there and %s here',
    async (status) => {
      const other = await world.payment(status);
      const reconciled = await world.reconcile([lineOf(other)]);
      expect(kindsIn(reconciled)).toEqual([['paid_not_captured', `${other}:payout`]]);
      expect(await world.attentionOf(other)).toBe(
        `The provider’s statement lists it as paid at 2026-03-02T13:00:00Z, and here it is ${status}. (reconciliation ${String(reconciled.reconciliationId)})`,
      );
    },
  );

  it.each(['captured', 'refunded'] as const)('%s here and not there', async (status) => {
    const [missing, other] = [await world.payment(status), await world.payment('captured')];
    const reconciled = await world.reconcile([lineOf(other)]);
    expect(kindsIn(reconciled)).toEqual([['captured_not_paid', `${missing}:payout`]]);
    expect(await world.attentionOf(missing)).toContain('does not list its payout');
    expect(await world.attentionOf(other)).toBeNull();
  });

  it('the amount differs by a cent', async () => {
    const captured = await world.payment('captured');
    const reconciled = await world.reconcile([lineOf(captured, { amount_usd_cents: 1_251 })]);
    expect(kindsIn(reconciled)).toEqual([['amount_differs', `${captured}:payout`]]);
    expect(await world.attentionOf(captured)).toContain('as 12.51 USD, and 12.50 USD were ordered');
  });

  it('the corridor differs', async () => {
    const captured = await world.payment('captured');
    const reconciled = await world.reconcile([lineOf(captured, { corridor: 'vn_qrpay' })]);
    expect(kindsIn(reconciled)).toEqual([['corridor_differs', `${captured}:payout`]]);
    expect(await world.attentionOf(captured)).toContain('as vn_qrpay, and it was ordered as th_');
  });

  it('paid twice there, even if one of both lines is outside the period', async () => {
    const [one, other] = [await world.payment('captured'), await world.payment('captured')];
    const reconciled = await world.reconcile([
      ...[lineOf(one), lineOf(other), lineOf(one, { at: MIDDLE + 1 })],
      lineOf(other, { at: 150 }),
    ]);
    expect(kindsIn(reconciled)).toEqual([
      ['paid_twice', `${one}:payout`],
      ['paid_twice', `${other}:payout`],
    ]);
    expect(await world.attentionOf(one)).toContain('lists its payout 2 times');
  });

  it.each([
    ['of no payment', `${anIntentId()}:payout`],
    ['of another step', `${anIntentId()}:debit`],
    ['that is malformed', 'pi_1:payout'],
    ['with a comma and a quote', 'wire "7", June'],
  ])('a key %s', async (_what, key) => {
    const reconciled = await world.reconcile([lineOf('', { key })]);
    expect(kindsIn(reconciled)).toEqual([['key_unknown', key]]);
  });

  it('several for one payment, each of its own kind', async () => {
    const failed = await world.payment('failed');
    const line = lineOf(failed, { amount_usd_cents: 1, corridor: 'vn_qrpay' });
    const reconciled = await world.reconcile([line, line]);
    expect(new Set(kindsIn(reconciled).map(([kind]) => kind))).toEqual(
      new Set(['paid_not_captured', 'amount_differs', 'corridor_differs', 'paid_twice']),
    );
  });

  it('and is the same for CSV as for JSON lines', async () => {
    const failed = await world.payment('failed');
    const { key, executed_at: at } = lineOf(failed);
    const csv = `\ufeffexecuted_at,corridor,"key",note,amount_usd_cents,environment\r\n${at},th_qrpay,"${key}","a ""b""\nc",1250,sandbox\r\n`;
    const reconciled = await world.reconcile(csv);
    expect(reconciled.findings).toMatchObject([
      { kind: 'paid_not_captured', line: 3, stated_usd_cents: 1_250, stated_corridor: 'th_qrpay' },
    ]);
  });
});

describe('at an edge of the period a payment is open', () => {
  it.each([5, 0, 115, 120])('paid there at minute %d, and failed here', async (at) => {
    const failed = await world.payment('failed', { at });
    const reconciled = await world.reconcile([lineOf(failed, { at })]);
    expect(reconciled).toMatchObject({ isClean: true, openLines: 1, linesOutside: 0 });
  });

  it.each([5.1, 114.9])('and at minute %d it is a difference', async (at) => {
    const failed = await world.payment('failed', { at });
    expect(kindsIn(await world.reconcile([lineOf(failed, { at })]))).toHaveLength(1);
  });

  it.each([
    ['was captured', { at: 114, capturedAt: 115 }],
    ['was sent', { at: 5, capturedAt: 60 }],
    ['was sent before it', { at: -60, capturedAt: 60 }],
    ['was captured after it', { at: 60, capturedAt: 150 }],
  ])('if it %s, and the statement does not list it', async (_what, times) => {
    const other = await world.payment('captured');
    const missing = await world.payment('captured', times);
    const reconciled = await world.reconcile([lineOf(other)]);
    expect(reconciled).toMatchObject({ isClean: true, openPayments: 1 });
    expect(await world.attentionOf(missing)).toBeNull();
  });

  it('and one outside the period is neither open nor a difference', async () => {
    const inside = await world.payment('captured');
    await world.payment('captured', { at: -60 });
    await world.payment('captured', { at: 150 });
    const failed = await world.payment('failed', { at: 150 });
    const reconciled = await world.reconcile([lineOf(inside), lineOf(failed, { at: 150 })]);
    expect(reconciled).toMatchObject({ isClean: true, openPayments: 0, linesOutside: 1 });
  });

  it('and a period of ten minutes has only edges: no difference, and not clean', async () => {
    const failed = await world.payment('failed');
    const reconciled = await world.reconcile([lineOf(failed)], {
      ...{ since: minutes(MIDDLE - 5), until: minutes(MIDDLE + 5) },
    });
    expect(reconciled).toMatchObject({ isClean: false, differences: 0, reconciledPeriod: null });
  });
});

describe('the period', () => {
  it('is that of the statement unless given, for each edge separately', async () => {
    const [first, middle, last] = [
      await world.payment('failed', { at: 20 }),
      await world.payment('failed'),
      await world.payment('failed', { at: 100 }),
    ];
    const lines = [lineOf(middle), lineOf(last, { at: 100 }), lineOf(first, { at: 20 })];
    const own = await world.reconcile(lines, { since: undefined, until: undefined });
    expect(own.period).toEqual({ since: minutes(20), until: minutes(100) });
    expect(kindsIn(own)).toEqual([['paid_not_captured', `${middle}:payout`]]);
    const given = await world.reconcile(lines, { until: undefined });
    expect(given.period).toEqual({ since: minutes(0), until: minutes(100) });
    expect(kindsIn(given)).toHaveLength(2);
  });

  it('that ends in the future is rejected, and nothing is stored', async () => {
    const failed = await world.payment('failed');
    const reconciled = world.reconcile([lineOf(failed)], { until: minutes(180.1) });
    await expect(reconciled).rejects.toThrow(BadOption);
    await expect(reconciled).rejects.toThrow('the period has not ended');
    expect(await world.attentionOf(failed)).toBeNull();
    expect(await world.reconcile([lineOf(failed)], { until: minutes(180) })).toMatchObject({
      differences: 1,
    });
  });

  it('of one corridor reports no payment of the other as missing', async () => {
    const thai = await world.payment('captured');
    await world.payment('captured', { corridor: 'vn_qrpay' });
    const lines = [lineOf(thai)];
    expect(await world.reconcile(lines, { corridor: 'th_qrpay' })).toMatchObject({ isClean: true });
  });
});

describe('without certain times, a payment is open:', () => {
  it('a restored database has forgotten its sending', async () => {
    const other = await world.payment('captured');
    const forgotten = await world.payment('captured', { at: 2, capturedAt: 60 });
    await world.bed.database.query({
      text: 'update payouts set attempts = 0, first_attempt_at = decided_at where intent_id = $1',
      values: [forgotten],
    });
    const sentAgain = await world.payment('captured', { at: 3, capturedAt: 60 });
    await world.bed.database.query({
      text: 'update payouts set first_attempt_at = decided_at where intent_id = $1',
      values: [sentAgain],
    });
    const reconciled = await world.reconcile([lineOf(other)]);
    expect(reconciled).toMatchObject({ isClean: true, openPayments: 2 });
  });
});

it('reads our books after the statement', async () => {
  const open = await world.payment('authorized');
  const read = Buffer.from(jsonLines([lineOf(open)]));
  const reconciled = await world.reconcile('', {
    bytes: (async function* () {
      yield read;
      await move(world.bed, open, 'capture');
    })(),
  });
  expect(reconciled).toMatchObject({ isClean: true });
});
