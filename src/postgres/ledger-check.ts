// Proves the ledger from its rows: every transfer balances and goes a way it may go, the balance is the holding
// account's, and every intent has moved what its status says (architecture, section 5). It reads one snapshot and writes
// nothing.
import type { Database, Queryable } from './database';
import { readHoldingBalance } from './holding';
import { addEntries, readKnownAccounts, type Balances } from './ledger-balances';
import { INTENT_RULES, readMoneyOfIntents } from './ledger-rules';
import { inSnapshot, keyRanges, type KeyRange } from './ledger-snapshot';

export interface LedgerCheck {
  readonly name: string;
  /** Rows that it looked at, and those of them that violate it. */
  readonly checked: number;
  readonly violations: number;
  /** The first few that do: keys of transfers, ids of intents, or accounts. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 5;

/** @param onProgress told after every few thousand rows how many were looked at so far */
export function checkLedger(
  database: Database,
  onProgress: (rows: number) => void,
): Promise<readonly LedgerCheck[]> {
  let looked = 0;
  const noteRange = ({ rows }: KeyRange) => {
    looked += rows;
    onProgress(looked);
  };
  return inSnapshot(database, async (connection) => [
    ...(await checkTransfers(connection, noteRange)),
    ...(await checkIntents(connection, noteRange)),
    await checkPayouts(connection, noteRange),
  ]);
}

interface Tally {
  add(rows: number): void;
  violate(example: string): void;
  result(): LedgerCheck;
}

function createTally(name: string): Tally {
  let checked = 0;
  let violations = 0;
  const examples: string[] = [];
  return {
    add(rows) {
      checked += rows;
    },
    violate(example) {
      violations += 1;
      if (examples.length < EXAMPLES_MAX) examples.push(example);
    },
    result: () => ({ name, checked, violations, examples }),
  };
}

type NoteRange = (range: KeyRange) => void;

async function checkTransfers(
  connection: Queryable,
  noteRange: NoteRange,
): Promise<readonly LedgerCheck[]> {
  const sums = createTally('entries_sum_to_zero');
  const keys = createTally('transfer_keys_are_unique');
  const owners = createTally('transfers_are_of_a_known_intent');
  const ways = createTally('transfers_go_a_known_way');
  const balances: Balances = new Map();
  for await (const range of keyRanges(connection, 'ledger_transfers')) {
    await addEntries(connection, range, balances);
    const uneven = await readUneven(connection, range);
    violateAll(sums, uneven, ({ sum }) => sum !== 0);
    violateAll(keys, uneven, ({ entries }) => entries !== 2);
    const stray = await readStray(connection, range);
    violateAll(owners, stray, ({ is_orphan }) => is_orphan);
    violateAll(ways, stray, ({ is_astray }) => is_astray);
    for (const tally of [sums, keys, owners, ways]) tally.add(range.rows);
    noteRange(range);
  }
  return [
    ...[sums, keys, owners, ways].map((tally) => tally.result()),
    await checkAccounts(connection, balances),
    checkOwed(balances),
    await checkBalance(connection, balances.get('holding') ?? 0),
  ];
}

interface TransferRow {
  readonly transfer_key: string;
}

function violateAll<Row extends TransferRow>(
  tally: Tally,
  rows: readonly Row[],
  violates: (row: Row) => boolean,
): void {
  for (const row of rows.filter(violates)) tally.violate(row.transfer_key);
}

interface UnevenRow extends TransferRow {
  readonly entries: number;
  readonly sum: number;
}

/** Transfers whose entries are not two that sum to zero. */
async function readUneven(
  connection: Queryable,
  { after, upTo }: KeyRange,
): Promise<readonly UnevenRow[]> {
  const { rows } = await connection.query<UnevenRow>({
    text: `select transfer_key, count(*) as entries, sum(amount_usd_cents)::bigint as sum
             from ledger_entries
            where transfer_key > $1 and transfer_key <= $2
            group by transfer_key
           having count(*) <> 2 or sum(amount_usd_cents) <> 0`,
    values: [after, upTo],
  });
  return rows;
}

interface StrayRow extends TransferRow {
  readonly is_orphan: boolean;
  readonly is_astray: boolean;
}

/** Transfers of no intent that exists, and those that do not go from and to the accounts that their key says. */
async function readStray(
  connection: Queryable,
  { after, upTo }: KeyRange,
): Promise<readonly StrayRow[]> {
  const { rows } = await connection.query<StrayRow>({
    text: `
      select * from (
        select t.transfer_key,
               i.intent_id is null and t.transfer_key not like 'fund:%' and t.transfer_key not like 'settle:%' as is_orphan,
               (t.from_account, t.to_account) is distinct from (
                 case when t.transfer_key = t.intent_id || ':debit' then 'holding'
                      when t.transfer_key in (t.intent_id || ':capture', t.intent_id || ':release') then 'held'
                      when t.transfer_key = t.intent_id || ':refund' then 'owed:' || i.corridor
                      when t.intent_id is null and (t.transfer_key like 'fund:%' or t.transfer_key like 'settle:%')
                      then 'funding' end,
                 case when t.transfer_key = t.intent_id || ':debit' then 'held'
                      when t.transfer_key = t.intent_id || ':capture' then 'settlement:' || i.corridor
                      when t.transfer_key like 'settle:%' then 'owed:' || split_part(t.transfer_key, ':', 2)
                      else 'holding' end
               ) or t.amount_usd_cents <= 0 as is_astray
          from ledger_transfers t
          left join payment_intents i on i.intent_id = t.intent_id
         where t.transfer_key > $1 and t.transfer_key <= $2
      ) as judged
       where is_orphan or is_astray`,
    values: [after, upTo],
  });
  return rows;
}

async function checkAccounts(connection: Queryable, balances: Balances): Promise<LedgerCheck> {
  const tally = createTally('accounts_are_known');
  const known = (await readKnownAccounts(connection)).map(({ account_id }) => account_id);
  tally.add(balances.size);
  for (const accountId of balances.keys()) {
    if (!known.includes(accountId)) tally.violate(accountId);
  }
  return tally.result();
}

/** An account of what a provider owes is below zero by it. */
function checkOwed(balances: Balances): LedgerCheck {
  const tally = createTally('providers_paid_back_at_most_what_they_owe');
  for (const [accountId, balance] of balances) {
    if (!accountId.startsWith('owed:')) continue;
    tally.add(1);
    if (balance > 0) tally.violate(accountId);
  }
  return tally.result();
}

async function checkBalance(connection: Queryable, entries: number): Promise<LedgerCheck> {
  const tally = createTally('holding_balance_equals_the_holding_account');
  const balance = await readHoldingBalance(connection);
  tally.add(1);
  if (balance !== entries) {
    tally.violate(`the balance is ${balance} cents and the entries of holding ${entries}`);
  }
  if (balance < 0) tally.violate('the balance is below zero');
  return tally.result();
}

async function checkIntents(
  connection: Queryable,
  noteRange: NoteRange,
): Promise<readonly LedgerCheck[]> {
  const rules = INTENT_RULES.map((rule) => ({ ...rule, tally: createTally(rule.name) }));
  for await (const range of keyRanges(connection, 'payment_intents')) {
    for (const money of await readMoneyOfIntents(connection, range)) {
      for (const { holds, tally } of rules.filter(({ isAbout }) => isAbout(money))) {
        tally.add(1);
        if (!holds(money)) tally.violate(money.intentId);
      }
    }
    noteRange(range);
  }
  return rules.map(({ tally }) => tally.result());
}

/** "A payout implies a debit", and an intent. */
async function checkPayouts(connection: Queryable, noteRange: NoteRange): Promise<LedgerCheck> {
  const tally = createTally('payouts_follow_a_debit');
  for await (const range of keyRanges(connection, 'payouts')) {
    const { rows } = await connection.query<{ readonly intent_id: string }>({
      text: `select p.intent_id from payouts p
              where p.intent_id > $1 and p.intent_id <= $2
                and not exists (select from ledger_transfers d where d.transfer_key = p.intent_id || ':debit')`,
      values: [range.after, range.upTo],
    });
    for (const { intent_id: intentId } of rows) tally.violate(intentId);
    tally.add(range.rows);
    noteRange(range);
  }
  return tally.result();
}
