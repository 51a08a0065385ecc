// The transfer of a refund (decision 16): the holding account is credited once against the
// provider's debt, and never for a payment that was not captured.
import type { IntentId } from '../../../src/domain/ids';
import { usdCents } from '../../../src/domain/money';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, balanceOf, findExisting, move, times } from '../../support/builders';
import { holdingBalance } from '../../support/payments/holding-account';

const bed = withDatabase();
const partner = withPartner(bed);

const refund = (intentId: IntentId) =>
  move(bed, intentId, 'refund', { actor: 'ann', reason: 'requested by the payer' });
const balances = () => Promise.all(['holding', 'due:vn_qrpay', 'settlement:vn_qrpay'].map(balance));
const balance = (accountId: string) => balanceOf(bed, accountId);

describe('a refund', () => {
  it('credits the holding account against the debt of the corridor’s provider', async () => {
    const { intentId } = await anIntent(bed, partner, {
      status: 'captured',
      corridor: 'vn_qrpay',
      amountUsdCents: usdCents(321),
    });
    const [holding = 0, due = 0, settled = 0] = await balances();
    await expect(refund(intentId)).resolves.toMatchObject({ outcome: 'did', status: 'refunded' });
    await expect(balances()).resolves.toEqual([holding + 321, due - 321, settled]);
    expect(await holdingBalance(bed)).toBe(holding + 321);
  });

  it('records actor and reason in the audit trail, and the actor in the ledger', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    await refund(intentId);
    const { rows } = await bed.database.query({
      text: `select h.actor, h.reason, t.actor as moved_by, t.from_account, t.to_account
               from intent_transitions h join ledger_transfers t on t.transfer_key = $1 || ':refund'
              where h.intent_id = $1 and h.to_status = 'refunded'`,
      values: [intentId],
    });
    expect(rows).toEqual([
      {
        actor: 'ann',
        reason: 'requested by the payer',
        moved_by: 'ann',
        from_account: 'due:th_qrpay',
        to_account: 'holding',
      },
    ]);
  });

  it('keeps captured_at in the row and leaves it out of the webhook event', async () => {
    const captured = await anIntent(bed, partner, { status: 'captured' });
    const { eventId } = await refund(captured.intentId);
    const { capturedAt, status } = await findExisting(bed, captured.intentId);
    expect([status, capturedAt]).toEqual(['refunded', captured.capturedAt]);
    const { rows } = await bed.database.query<{ readonly body: string }>({
      text: `select body from webhook_events
              where event_id = $1 and type = 'payment_intent.refunded'`,
      values: [eventId],
    });
    const event = JSON.parse(rows[0]?.body ?? '') as { readonly data: object };
    expect(event.data).toMatchObject({ intent_id: captured.intentId, status: 'refunded' });
    expect(event.data).not.toHaveProperty('captured_at');
  });

  it('requested ten times at once moves the money once and writes one event', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    const [holding = 0] = await balances();
    const reports = await times(10, () => refund(intentId));
    expect(reports.filter(({ outcome }) => outcome === 'did')).toHaveLength(1);
    expect(new Set(reports.map(({ eventId }) => eventId)).size).toBe(1);
    const [after] = await balances();
    expect(after).toBe(holding + 1_250);
    expect(await holdingBalance(bed)).toBe(after);
  });

  it('moves nothing when the ledger has no capture', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    await bed.database.query({
      text: `delete from ledger_transfers where transfer_key = $1 || ':capture'`,
      values: [intentId],
    });
    const before = await balances();
    await expect(refund(intentId)).resolves.toMatchObject({ outcome: 'other', status: 'captured' });
    await expect(balances()).resolves.toEqual(before);
  });
});

it('no transfer may join an account that the ledger does not know', async () => {
  const transfer = bed.database.query({
    text: `insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents,
                                         created_at, actor)
           values ('x', 'due:xx_qrpay', 'holding', 1, now(), 'test')`,
  });
  await expect(transfer).rejects.toThrow('transfer_joins_known_accounts');
});

it('every account that a transfer may join is one that the ledger lists', async () => {
  const { rows } = await bed.database.query<{ readonly definition: string }>({
    text: `select pg_get_constraintdef(oid) as definition from pg_constraint
            where conname = 'transfer_joins_known_accounts'`,
  });
  const allowed = new Set((rows[0]?.definition ?? '').match(/'[^']+'/g));
  const listed = await bed.database.query<{ readonly account_id: string }>({
    text: 'select account_id from ledger_accounts order by account_id',
  });
  expect([...allowed].map((name) => name.replaceAll("'", '')).sort()).toEqual(
    listed.rows.map(({ account_id }) => account_id),
  );
});
