// What a reconciliation stores: findings that are stored once and closed again, attention, and the
// next command (decision 130).
import { nextCommand } from '../../../src/ops/ledger/reconcile/finding-sentences';
import type { ReconcileOptions } from '../../../src/ops/ledger/reconcile/reconcile';
import { workflowGone } from '../../../src/domain/intents/attention';
import { acknowledgeIntent } from '../../../src/ops/intents/acknowledge';
import { anIntentId, move } from '../../support/builders';
import {
  jsonLines,
  kindsIn,
  lineOf,
  MIDDLE,
  minutes,
  moveBeforeStoring,
  type ReconcileWorld,
  withReconciliation,
} from './reconcile-world';
import { anAttention } from '../../support/payments/attention';

const world = withReconciliation();

const openFindings = async () => {
  const { rows } = await world.bed.database.query<{ readonly kind: string; readonly key: string }>({
    text: `select kind, payout_key as key from reconcile_findings
            where closed_at is null order by finding_id`,
  });
  return rows.map(({ kind, key }) => [kind, key]);
};

const UNKNOWN = anAttention(
  'The outcome of the payout is unknown. It is queried by key until the provider answers.',
);

describe('a finding', () => {
  it('that is found again is stored once, and is still a difference', async () => {
    const failed = await world.payment('failed');
    const first = await world.reconcile([lineOf(failed)]);
    const again = await world.reconcile([lineOf(failed)]);
    expect([first, again]).toMatchObject([
      { differences: 1, findings: [{ is_new: true }] },
      { differences: 1, findings: [{ is_new: false }] },
    ]);
    expect(await openFindings()).toHaveLength(1);
  });

  it('that a later reconciliation of its time does not see is closed', async () => {
    const [open, other] = [await world.payment('authorized'), await world.payment('captured')];
    const lines = [lineOf(open), lineOf(other)];
    await world.reconcile(lines);
    await move(world.bed, open, 'capture');
    expect(await world.reconcile(lines)).toMatchObject({ isClean: true, closed: 1 });
    expect(await openFindings()).toEqual([]);
    expect(await world.reconcile(lines)).toMatchObject({ isClean: true, closed: 0 });
  });

  it('is a new one once it was closed', async () => {
    const [failed, other] = [await world.payment('failed'), await world.payment('captured')];
    const both = [lineOf(failed), lineOf(other)];
    await world.reconcile(both);
    await world.reconcile([lineOf(other)]);
    expect(await world.reconcile(both)).toMatchObject({ findings: [{ is_new: true }] });
  });

  it.each<[string, Partial<ReconcileOptions>]>([
    ['of another period', { since: minutes(MIDDLE + 1) }],
    ['whose edge is near it', { since: minutes(MIDDLE - 4) }],
    ['of another corridor', { corridor: 'th_qrpay' }],
  ])('stays open after a reconciliation %s', async (_what, options) => {
    const corridor = 'vn_qrpay';
    const missing = await world.payment('captured', { corridor });
    const [thai, other] = [
      await world.payment('captured', { at: 100 }),
      await world.payment('captured', { at: 100, corridor }),
    ];
    const lines = [lineOf(thai, { at: 100 }), lineOf(other, { at: 100, corridor })];
    await world.reconcile(lines);
    const again = lines.filter((line) => line.corridor === (options.corridor ?? line.corridor));
    expect(await world.reconcile(again, options)).toMatchObject({ isClean: true, closed: 0 });
    expect(await openFindings()).toEqual([['captured_not_paid', `${missing}:payout`]]);
  });

  it('stays open after a reconciliation without a line of its corridor', async () => {
    const failed = await world.payment('failed', { corridor: 'vn_qrpay' });
    const thai = lineOf(await world.payment('captured'));
    await world.reconcile([lineOf(failed, { corridor: 'vn_qrpay' }), thai]);
    expect(await world.reconcile([thai])).toMatchObject({ isClean: true, closed: 0 });
    expect(await openFindings()).toEqual([['paid_not_captured', `${failed}:payout`]]);
  });

  it('about a corridor is closed by a reconciliation of that corridor', async () => {
    const corridor = 'vn_qrpay';
    const vietnamese = lineOf(await world.payment('captured', { corridor }), { corridor });
    const thai = lineOf(await world.payment('captured'));
    expect(await world.reconcile([thai])).toMatchObject({ differences: 1 });
    expect(await world.reconcile([thai], { corridor: 'th_qrpay' })).toMatchObject({ closed: 0 });
    expect(await world.reconcile([vietnamese], { corridor })).toMatchObject({
      ...{ isClean: true, closed: 1 },
    });
  });

  it('of a payment paid twice stays open while a statement has one of both lines', async () => {
    const twice = await world.payment('captured');
    const [line, later] = [lineOf(twice), lineOf(twice, { at: 100 })];
    await world.reconcile([line, later]);
    await world.reconcile([line], { until: minutes(90) });
    expect(await openFindings()).toEqual([['paid_twice', `${twice}:payout`]]);
  });
});

describe('a second reconciliation at the same time', () => {
  it('is rejected, and does not change the findings of the first', async () => {
    const failed = await world.payment('failed');
    const lines = [lineOf(failed)];
    const first = await world.reconcile('', {
      bytes: (async function* () {
        yield Buffer.from(jsonLines(lines));
        await expect(world.reconcile(lines)).rejects.toThrow(
          'Another reconciliation of this database is running.',
        );
      })(),
    });
    expect(first).toMatchObject({ isClean: false, differences: 1 });
    expect(await world.reconcile(lines)).toMatchObject({ differences: 1 });
  });

  it('runs after one whose statement was rejected', async () => {
    const failed = await world.payment('failed');
    await expect(world.reconcile('')).rejects.toThrow('no line of a payment');
    expect(await world.reconcile([lineOf(failed)])).toMatchObject({ differences: 1 });
  });
});

describe('attention', () => {
  it('keeps what was raised before', async () => {
    const open = await world.payment('authorized');
    await world.bed.intents.setAttention(open, UNKNOWN);
    await world.reconcile([lineOf(open)]);
    expect(await world.attentionOf(open)).toMatch(
      /^The outcome of the payout is unknown\. .* The provider’s statement lists it as paid at /,
    );
  });

  it('names every kind of difference of a payment', async () => {
    const failed = await world.payment('failed');
    await world.reconcile([lineOf(failed, { amount_usd_cents: 1 })]);
    const reason = await world.attentionOf(failed);
    expect(reason).toContain('lists it as 0.01 USD');
    expect(reason).toContain('lists it as paid at');
  });

  it('that was acknowledged is not raised again by the same finding', async () => {
    const failed = await world.payment('failed');
    await world.reconcile([lineOf(failed)]);
    await acknowledgeIntent(world.bed.database, failed, {
      actor: 'ann',
      reason: 'settled by wire 7',
    });
    expect(await world.reconcile([lineOf(failed)])).toMatchObject({ differences: 1 });
    expect(await world.attentionOf(failed)).toBeNull();
  });

  it('is not raised for a payment that was captured before the findings were stored', async () => {
    const open = await world.payment('authorized');
    await moveBeforeStoring(world, open, 'captured');
    expect(await world.reconcile([lineOf(open)])).toMatchObject({ isClean: true, findings: [] });
    expect(await world.attentionOf(open)).toBeNull();
    expect((await world.bed.intents.find(open))?.status).toBe('captured');
  });

  it.each([
    ['authorized', 'failed'],
    ['authorized', 'cancelled'],
    ['created', 'expired'],
    ['created', 'cancelled'],
    ['created', 'authorized'],
  ] as const)(
    'is raised for a payment that was %s and became %s before the findings were stored',
    async (from, to) => {
      const open = await world.payment(from);
      await moveBeforeStoring(world, open, to);
      const reconciled = await world.reconcile([lineOf(open)]);
      expect(kindsIn(reconciled)).toEqual([['paid_not_captured', `${open}:payout`]]);
      expect(reconciled.isClean).toBe(false);
      expect(await world.attentionOf(open)).toContain(`and here it is ${to}.`);
    },
  );

  it('is raised, and ends, even if the findings need more than one statement', async () => {
    const failed = await world.payment('failed');
    const unknown = Array.from({ length: 1_200 }, () => lineOf(anIntentId()));
    const reconciled = await world.reconcile([...unknown, lineOf(failed)]);
    expect(reconciled.differences).toBe(1_201);
    expect(kindsIn(reconciled).at(-1)).toEqual(['paid_not_captured', `${failed}:payout`]);
    expect(await world.attentionOf(failed)).not.toBeNull();
    const captured = lineOf(await world.payment('captured'));
    expect(await world.reconcile([captured])).toMatchObject({ isClean: true, closed: 1_201 });
    expect(await world.attentionOf(failed)).toBeNull();
  });
});

describe('the next command', () => {
  const next = async (lines: Parameters<ReconcileWorld['reconcile']>[0]) => {
    const { findings } = await world.reconcile(lines);
    return [...new Set(findings.map(nextCommand))];
  };

  it('resolves an unknown payout as paid, with the line as evidence', async () => {
    const open = await world.payment('authorized');
    await world.bed.intents.setAttention(open, UNKNOWN);
    expect(await next([lineOf(open)])).toEqual([
      `payctl intents resolve ${open} --outcome paid --evidence "provider's statement, line 1"`,
    ]);
  });

  it.each([
    ['no attention was raised before', null, {}],
    ['the statement says another amount', UNKNOWN, { amount_usd_cents: 1_251 }],
    ['its workflow has completed', workflowGone('authorized'), {}],
  ])('only shows an authorized payment if %s', async (_what, reason, line) => {
    const open = await world.payment('authorized');
    if (reason !== null) await world.bed.intents.setAttention(open, reason);
    expect(await next([lineOf(open, line)])).toEqual([`payctl intents show ${open}`]);
  });

  it('only shows an authorized payment that is in the statement twice', async () => {
    const open = await world.payment('authorized');
    await world.bed.intents.setAttention(open, UNKNOWN);
    expect(await next([lineOf(open), lineOf(open)])).toEqual([`payctl intents show ${open}`]);
  });

  it('shows a payment that is over', async () => {
    const failed = await world.payment('failed');
    expect(await next([lineOf(failed)])).toEqual([`payctl intents show ${failed}`]);
  });

  it('describes the workflow of a lost row, and is null for a malformed key', async () => {
    const lost = anIntentId();
    expect(await next([lineOf(lost)])).toEqual([
      `temporal workflow describe --workflow-id ${lost}`,
    ]);
    expect(await next([lineOf('', { key: '$(reboot)' })])).toEqual([null]);
  });
});
