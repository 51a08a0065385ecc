// `payctl ledger check`: a correct ledger passes, however busy it is, and each check fails for rows
// that were broken with the constraints disabled.
import { checkLedger, type LedgerCheck } from '../../../src/postgres/ledger/check';
import { prepared, withDatabase, withPartner } from '../../support/brackets';
import { aDebitedIntent, move, times } from '../../support/builders';
import {
  aSettledIntent,
  intentsOfEveryKind,
  type KindsOfIntents,
} from '../intents/settled-intents';

const bed = withDatabase({ isPerTest: true, fundedUsdCents: 1_600_000 });
const partner = withPartner(bed);
const intents = prepared(bed, () => intentsOfEveryKind(bed, partner));

const check = (onProgress: (rows: number) => void = () => undefined) =>
  checkLedger(bed.database, onProgress);

const failedOf = (checks: readonly LedgerCheck[]) =>
  checks.filter(({ violations }) => violations > 0);

/** Changes rows as a superuser can: without foreign keys, triggers and these constraints. */
async function breakRows(statement: string, ...constraints: readonly string[]): Promise<void> {
  await bed.database.inTransaction(async (connection) => {
    await connection.query({ text: 'set local session_replication_role = replica' });
    for (const constraint of constraints) await connection.query({ text: constraint });
    await connection.query({ text: statement });
  });
}

describe('a correct ledger', () => {
  it('passes every check, each with the number of its rows', async () => {
    const checks = await check();
    expect(failedOf(checks)).toEqual([]);
    // The funding, and 2 + 3 + 2 + 2 + 1 of the captured, refunded, failed, cancelled and
    // authorized intents.
    expect(Object.fromEntries(checks.map(({ name, checked }) => [name, checked]))).toEqual({
      entries_sum_to_zero: 11,
      transfer_keys_are_unique: 11,
      transfers_are_of_a_known_intent: 11,
      transfers_go_a_known_way: 11,
      accounts_are_known: 5,
      providers_repaid_at_most_what_was_due: 1,
      holding_balance_equals_the_holding_account: 1,
      debits_are_of_an_authorized_intent_and_its_amount: 5,
      created_and_expired_moved_nothing: 2,
      authorized_is_debited_at_most_once: 1,
      captured_is_paid_once_and_matches_its_payout: 1,
      refunded_was_paid_once_and_credited_once: 1,
      failed_and_cancelled_gave_back_what_was_debited: 4,
      payouts_follow_a_debit: 4,
    });
  });

  it('passes where a restored database had lost a payout that was captured later', async () => {
    const { intentId } = await aDebitedIntent(bed, partner);
    await move(bed, intentId, 'capture', { actor: 'ann' });
    expect(failedOf(await check())).toEqual([]);
  });

  it('passes while payments are made, since it reads one snapshot', async () => {
    const kinds = (['captured', 'failed', 'refunded'] as const).flatMap(
      (kind) => Array(8).fill(kind) as (typeof kind)[],
    );
    const paying = Promise.all(kinds.map((kind) => aSettledIntent(bed, partner, kind)));
    const rounds = await times(4, async () => failedOf(await check()));
    expect(rounds.flat()).toEqual([]);
    await paying;
    expect(failedOf(await check())).toEqual([]);
  });

  it('is read in ranges, with reports of progress', async () => {
    await breakRows(MANY_CREATED);
    const progress: number[] = [];
    const checks = await check((rows) => progress.push(rows));
    expect(failedOf(checks)).toEqual([]);
    const created = checks.find(({ name }) => name === 'created_and_expired_moved_nothing');
    expect(created?.checked).toBe(12_002);
    expect(progress.length).toBeGreaterThan(4);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });
});

const MANY_CREATED = `
  insert into payment_intents (intent_id, partner_id, partner_user_id, amount_usd_cents, corridor,
                               created_at, expires_at)
  select 'pi_' || lpad(n::text, 26, '0'), 'many', 'u', 1, 'th_qrpay', now(), now()
    from generate_series(1, 12000) as n`;

interface Break {
  readonly what: string;
  readonly statement: (intents: KindsOfIntents) => string;
  readonly constraints?: readonly string[];
  /** The checks that fail then, in their order. */
  readonly fails: readonly string[];
}

const DROP_TRANSFER_KEY = 'alter table ledger_transfers drop constraint ledger_transfers_pkey';
const DROP_PAYOUT_KEY = 'alter table payouts drop constraint payouts_pkey';
const BALANCE_DIFFERS = 'holding_balance_equals_the_holding_account';
const CAPTURED = 'captured_is_paid_once_and_matches_its_payout';
const REFUNDED = 'refunded_was_paid_once_and_credited_once';
const ENDED = 'failed_and_cancelled_gave_back_what_was_debited';
const AUTHORIZED = 'authorized_is_debited_at_most_once';
const UNTOUCHED = 'created_and_expired_moved_nothing';
const DEBITS = 'debits_are_of_an_authorized_intent_and_its_amount';

const transfer = (key: string, intentId: string, way: string) =>
  `insert into ledger_transfers (transfer_key, intent_id, from_account, to_account,
                                 amount_usd_cents, created_at, actor)
   values ('${key}', '${intentId}', ${way}, 1250, now(), 'test')`;
const payout = (intentId: string, status: string) =>
  `insert into payouts (intent_id, status, attempts, first_attempt_at, last_sent_at)
   values ('${intentId}', '${status}', 1, now(), now())`;

const BREAKS: readonly Break[] = [
  {
    what: 'an entry with a cent too much',
    statement: ({ captured }) => `
      create or replace view ledger_entries as
      select transfer_key, intent_id, from_account as account_id,
             -amount_usd_cents as amount_usd_cents, created_at
        from ledger_transfers
      union all
      select transfer_key, intent_id, to_account,
             amount_usd_cents + (transfer_key = '${captured}:capture')::int, created_at
        from ledger_transfers`,
    fails: ['entries_sum_to_zero'],
  },
  {
    what: 'a capture that is there twice',
    statement: ({ captured }) => `insert into ledger_transfers
      select * from ledger_transfers where transfer_key = '${captured}:capture'`,
    constraints: [DROP_TRANSFER_KEY],
    fails: ['transfer_keys_are_unique', CAPTURED],
  },
  {
    what: 'a transfer of an intent that does not exist',
    statement: () => transfer(`${UNKNOWN}:capture`, UNKNOWN, `'reserved', 'settlement:th_qrpay'`),
    fails: ['transfers_are_of_a_known_intent', 'transfers_go_a_known_way'],
  },
  {
    what: "a capture that went to another corridor's settlement",
    statement: ({ captured }) => `update ledger_transfers set to_account = 'settlement:vn_qrpay'
      where transfer_key = '${captured}:capture'`,
    fails: ['transfers_go_a_known_way'],
  },
  {
    what: 'a funding that came from a payment',
    statement: () =>
      `update ledger_transfers set from_account = 'reserved' where transfer_key = 'fund:test'`,
    fails: ['transfers_go_a_known_way'],
  },
  {
    what: 'an unknown account',
    statement: () =>
      `update ledger_transfers set from_account = 'pocket' where transfer_key = 'fund:test'`,
    constraints: ['alter table ledger_transfers drop constraint transfer_joins_known_accounts'],
    fails: ['transfers_go_a_known_way', 'accounts_are_known'],
  },
  {
    what: 'a balance with a cent more',
    statement: () => 'update holding_balance set balance_usd_cents = balance_usd_cents + 1',
    fails: [BALANCE_DIFFERS],
  },
  {
    what: 'a debit of another amount',
    statement: ({ authorized }) =>
      `update ledger_transfers set amount_usd_cents = 1 where transfer_key = '${authorized}:debit'`,
    fails: [BALANCE_DIFFERS, DEBITS],
  },
  {
    what: 'a debit of an intent that was never authorized',
    statement: ({ created }) => transfer(`${created}:debit`, created, `'holding', 'reserved'`),
    fails: [BALANCE_DIFFERS, DEBITS, UNTOUCHED],
  },
  {
    what: 'a payout of an intent that expired',
    statement: ({ expired }) => payout(expired, 'sent'),
    fails: [UNTOUCHED, 'payouts_follow_a_debit'],
  },
  {
    what: 'a payout that is paid while its intent is authorized',
    statement: ({ authorized }) =>
      `update payouts set status = 'paid' where intent_id = '${authorized}'`,
    fails: [AUTHORIZED],
  },
  {
    what: 'a release of an intent that is still authorized',
    statement: ({ authorized }) =>
      transfer(`${authorized}:release`, authorized, `'reserved', 'holding'`),
    fails: [BALANCE_DIFFERS, AUTHORIZED],
  },
  {
    what: 'a captured intent without its payout',
    statement: ({ captured }) => `delete from payouts where intent_id = '${captured}'`,
    fails: [CAPTURED],
  },
  {
    what: 'a captured intent whose payout was never decided',
    statement: ({ captured }) =>
      `update payouts set status = 'sent' where intent_id = '${captured}'`,
    fails: [CAPTURED],
  },
  {
    what: 'a captured intent with two payouts',
    statement: ({ captured }) => payout(captured, 'paid'),
    constraints: [DROP_PAYOUT_KEY],
    fails: [CAPTURED],
  },
  {
    what: 'a captured intent that was also released',
    statement: ({ captured }) => transfer(`${captured}:release`, captured, `'reserved', 'holding'`),
    fails: [BALANCE_DIFFERS, CAPTURED],
  },
  {
    what: 'a captured intent that lost its debit',
    statement: ({ captured }) =>
      `delete from ledger_transfers where transfer_key = '${captured}:debit'`,
    fails: [BALANCE_DIFFERS, CAPTURED, 'payouts_follow_a_debit'],
  },
  {
    what: 'a refund that was never credited',
    statement: ({ refunded }) =>
      `delete from ledger_transfers where transfer_key = '${refunded}:refund'`,
    fails: [BALANCE_DIFFERS, REFUNDED],
  },
  {
    what: 'a failed intent that was not released',
    statement: ({ failed }) =>
      `delete from ledger_transfers where transfer_key = '${failed}:release'`,
    fails: [BALANCE_DIFFERS, ENDED],
  },
  {
    what: 'a failed intent that was paid out',
    statement: ({ failed }) => `update payouts set status = 'paid' where intent_id = '${failed}'`,
    fails: [ENDED],
  },
  {
    what: 'a cancelled intent whose payout was sent',
    statement: ({ cancelled }) => payout(cancelled, 'declined'),
    fails: [ENDED],
  },
];

const UNKNOWN = 'pi_zzzzzzzzzzzzzzzzzzzzzzzzzz';

describe('the check fails for', () => {
  it.each(BREAKS)('$what', async ({ statement, constraints = [], fails }) => {
    await breakRows(statement(intents), ...constraints);
    const failed = failedOf(await check());
    expect(failed.map(({ name }) => name)).toEqual(fails);
    for (const { violations, examples } of failed) {
      expect([violations, examples]).toEqual([1, [expect.any(String) as unknown]]);
    }
  });

  it('many rows at once, with only the first few as examples', async () => {
    await breakRows('update payouts set status = $$declined$$');
    await times(7, () => aSettledIntent(bed, partner, 'captured'));
    await breakRows('delete from payouts');
    const [captured] = failedOf(await check()).filter(({ name }) => name === CAPTURED);
    expect(captured).toMatchObject({ checked: 8, violations: 8 });
    expect(captured?.examples).toHaveLength(5);
  });
});
