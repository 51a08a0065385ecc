// `payctl data prune` (decision 141): what is deleted and what never is, the balances that stay,
// and the creates that are answered as before.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { usdCents } from '../../../src/domain/money';
import type { Queryable } from '../../../src/postgres/database';
import { bookRepayment } from '../../../src/postgres/ledger/repayment';
import { wouldWait } from '../../postgres/intents/lock-probe';
import { pruneIntents } from '../../../src/postgres/intents/prune';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { readAccounts } from '../../../src/postgres/ledger/balances';
import {
  aCreateCommand,
  aDebitedIntent,
  countOf,
  findExisting,
  move,
  sha256,
  within,
} from '../../support/builders';
import { prepared, withDatabase, withPartner } from '../../support/brackets';
import { untilBlocked } from '../../support/until-blocked';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { BEFORE, days, EMPTIED, finishAll, LATER, ORDER } from './ended-payments';
import { eventOf } from '../intents/story-rows';
import { recordAttempt } from '../../support/webhooks/webhooks';
import { intentsOfEveryKind } from '../../postgres/intents/settled-intents';

const bed = withDatabase({ isPerTest: true });
const partner = withPartner(bed);
const intents = prepared(bed, () => intentsOfEveryKind(bed, partner));

const shown = (status: keyof typeof intents) =>
  findExisting(bed, intents[status] as PaymentIntent['intentId']);
const prune = (...more: readonly string[]) =>
  runPayctl(bed, ['data', 'prune', '--before', BEFORE, '--as', 'ann', ...more]);
const pruned = async () => jsonOf(await prune('--json'));
const rowsOf = async (table: string, intentId: string) =>
  countOf(bed, `select count(*) from ${table} where intent_id = $1`, [intentId]);
const violations = async () =>
  (await checkLedger(bed.database, () => undefined)).filter((check) => check.violations > 0);

const DELETED_BY_ITSELF = ['webhook_attempts', 'partner_days'];
const KEPT = [
  // The intent itself, emptied of its payer.
  'payment_intents',
  // Open work; the poller ends it.
  'request_nonces',
  'used_tokens',
  'confirm_payloads',
  'pending_rechecks',
  // One row for each worker, for a day.
  'worker_marks',
  // One row for each partner, key, account, stop, closure or statement.
  'partners',
  'closures',
  // Who asked and who approved is part of the audit trail.
  'approvals',
  'installation',
  'decisions',
  'partner_quotes',
  'token_issuers',
  'signing_keys',
  'signing_key_uses',
  'partner_addresses',
  'partner_seconds',
  'webhook_endpoints',
  'ledger_accounts',
  'holding_balance',
  'payout_stops',
  'operator_actions',
  'reconciliations',
  'reconcile_findings',
  // One row for each corridor.
  'pruned_costs',
  // One row for each kind.
  'attention_kinds',
  // One row.
  'directory_version',
  'service_environment',
  'restore_watch',
  'schema_migrations',
];

it('says of every table whether it is pruned', async () => {
  const { rows } = await bed.database.query<{ readonly name: string }>({
    text: `select table_name as name from information_schema.tables
            where table_schema = 'public' and table_type = 'BASE TABLE'`,
  });
  const tables = rows.map(({ name }) => name).sort();
  expect([...EMPTIED, ...DELETED_BY_ITSELF, ...KEPT].sort()).toEqual(tables);
});

describe('of payments that ended', () => {
  it('deletes what belongs to them, and every balance stays', async () => {
    const before = await readAccounts(bed.database);
    await recordAttempt(bed, await eventOf(bed, await shown('captured')), { status: 200 });
    await finishAll(bed);
    await bed.setNow(LATER);
    // Two are open: created, and authorized.
    expect(await pruned()).toEqual({ before: BEFORE, read: 9, earlier: 0, pruned: 7, open: 2 });
    for (const status of ['captured', 'failed', 'expired', 'refunded', 'cancelled'] as const) {
      for (const table of EMPTIED) expect(await rowsOf(table, intents[status])).toBe(0);
    }
    expect(await countOf(bed, 'select count(*) from webhook_attempts')).toBe(0);
    expect(await readAccounts(bed.database)).toEqual(before);
    expect(await violations()).toEqual([]);
  });

  it('carries the sums of several prunes in one transfer for each way', async () => {
    await finishAll(bed);
    await bed.setNow(LATER);
    await pruned();
    const { intentId } = await aDebitedIntent(bed, partner);
    await bed.setNow(days(400));
    await move(bed, intentId, 'cancel', { from: 'authorized' });
    const before = await readAccounts(bed.database);
    await finishAll(bed);
    await bed.setNow(days(800));
    const again = ['data', 'prune', '--before', days(600).toISOString(), '--as', 'ann', '--json'];
    expect(jsonOf(await runPayctl(bed, again))).toMatchObject({ earlier: 7, pruned: 1, open: 2 });
    expect(await readAccounts(bed.database)).toEqual(before);
    expect(await violations()).toEqual([]);
    const { rows } = await bed.database.query({
      text: `select transfer_key from ledger_transfers where transfer_key like 'pruned:%'
              order by transfer_key`,
    });
    expect(rows.map((row) => row['transfer_key'] as string)).toEqual([
      'pruned:due:th_qrpay>holding',
      'pruned:holding>reserved',
      'pruned:reserved>holding',
      'pruned:reserved>settlement:th_qrpay',
    ]);
  });

  it('erases the payer, and the status stays', async () => {
    const before = await shown('captured');
    await finishAll(bed);
    await bed.setNow(LATER);
    await pruned();
    expect(await shown('captured')).toEqual(before);
    expect(
      await countOf(bed, `select count(*) from payment_intents where partner_user_id <> 'erased'`),
    ).toBe(2);
    const story = textOf(await runPayctl(bed, ['intents', 'show', before.intentId]));
    expect(story).toMatch(/history was deleted by "payctl data prune" at\s+2026-09-18T12/);
  });

  it('refunds none of them', async () => {
    await finishAll(bed);
    await bed.setNow(LATER);
    await pruned();
    const refund = ['intents', 'refund', intents.captured, '--as', 'ann', '--reason', 'asked'];
    expectRejected(await runPayctl(bed, refund), 1, /so it cannot be refunded\. Nothing was moved/);
    const { intentId } = await shown('captured');
    await expect(move(bed, intentId, 'refund')).resolves.toMatchObject({ outcome: 'other' });
  });

  it('refunds none that it prunes at that moment', async () => {
    await finishAll(bed);
    await bed.setNow(LATER);
    const { intentId } = await shown('captured');
    const refunding = await bed.database.inTransaction(async (connection) => {
      await pruneIntents(within(connection), ORDER, () => undefined);
      const refund = move(bed, intentId, 'refund');
      await untilBlocked(connection);
      return { refund };
    });
    await expect(refunding.refund).resolves.toMatchObject({ outcome: 'other' });
    expect(await violations()).toEqual([]);
  });

  it('books no repayment while it moves amounts, which a sum of the ledger would count twice', async () => {
    await finishAll(bed);
    await bed.setNow(LATER);
    const terms = { corridor: 'th_qrpay', amountUsdCents: usdCents(1) } as const;
    const repayment = { ...terms, key: 'wire-1', actor: 'ann' };
    await bed.database.inTransaction(async (connection) => {
      await pruneIntents(within(connection), ORDER, () => undefined);
      const book = (other: Queryable) => bookRepayment(within(other), repayment);
      expect(await wouldWait(bed.database, book)).toBe(true);
    });
  });

  it('reads them in batches, and a second run prunes nothing', async () => {
    await finishAll(bed);
    await bed.database.query({ text: MANY_EXPIRED });
    await bed.setNow(LATER);
    expect(await pruned()).toMatchObject({ read: 1_209, pruned: 1_207, open: 2 });
    expect(await pruned()).toMatchObject({ read: 1_209, earlier: 1_207, pruned: 0, open: 2 });
  });
});

const MANY_EXPIRED = `
  insert into payment_intents (intent_id, partner_id, partner_user_id, amount_usd_cents, corridor,
                               created_at, expires_at, status)
  select 'pi_' || lpad(n::text, 26, '0'), 'many', 'u', 1, 'th_qrpay', service_now(), service_now(),
         'expired'
    from generate_series(1, 1200) as n`;

describe('a create under the key of a pruned payment', () => {
  const create = (body: string) => {
    const idempotency = { key: 'order-1', bodyDigest: sha256(body) };
    return bed.intents.create(aCreateCommand(partner, { idempotency }));
  };

  it('is answered as before, and another body is rejected', async () => {
    const first = await create('the body');
    const intent = 'intent' in first ? first.intent : undefined;
    await move(bed, intent?.intentId ?? (await shown('created')).intentId, 'cancel', {
      from: 'created',
    });
    await finishAll(bed);
    await bed.setNow(LATER);
    expect(await pruned()).toMatchObject({ pruned: 8 });
    await expect(create('the body')).resolves.toMatchObject({
      outcome: 'replayed',
      intent: { intentId: intent?.intentId, createdAt: intent?.createdAt },
    });
    await expect(create('another body')).resolves.toEqual({ outcome: 'key_reused' });
    expect(await countOf(bed, 'select count(*) from payment_intents')).toBe(10);
  });
});
