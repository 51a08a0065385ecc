// The check of the ledger by its rows: every transfer balances and joins the accounts it may join,
// the stored balance equals the holding account's entries, and every intent has moved what its
// status requires (architecture, section 5). It reads one snapshot and writes nothing.
import { readRows, type Database, type Queryable } from '../database';
import { readHoldingAccountBalance } from './holding-account';
import { readBalances, readKnownAccounts, type Balances } from './balances';
import { INTENT_RULES, PAYOUT_RULES, TRANSFER_RULES, type LedgerRules } from './rules';
import { inSnapshot, keyRanges, type KeyRange } from './snapshot';

export interface LedgerCheck {
  readonly name: string;
  /** How many rows were checked, and how many of them violate the rule. */
  readonly checked: number;
  readonly violations: number;
  /** The first few violations: keys of transfers, ids of intents, or accounts. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 5;

/** @param onProgress called after every few thousand rows with the number of rows read so far */
export function checkLedger(
  database: Database,
  onProgress: (rows: number) => void,
): Promise<readonly LedgerCheck[]> {
  let rowsRead = 0;
  return inSnapshot(database, async (connection) => {
    const check = (rules: LedgerRules) =>
      checkRows(connection, rules, ({ rows }) => {
        rowsRead += rows;
        onProgress(rowsRead);
      });
    return [
      ...(await check(TRANSFER_RULES)),
      ...(await checkBalances(connection)),
      ...(await check(INTENT_RULES)),
      ...(await check(PAYOUT_RULES)),
    ];
  });
}

async function checkRows(
  connection: Queryable,
  { table, rows, rules }: LedgerRules,
  onRange: (range: KeyRange) => void,
): Promise<readonly LedgerCheck[]> {
  const conditions = Object.entries(rules).map(([name, parts]) => `('${name}', ${parts.join()})`);
  const text = `
    with checked_rows as (${rows})
    select name, count(*) as checked, count(*) filter (where holds is not true) as violations,
           coalesce((array_agg(key) filter (where holds is not true))[:${EXAMPLES_MAX}], '{}')
             as examples
      from checked_rows
     cross join lateral (values ${conditions.join(', ')}) as rule (name, is_about, holds)
     where is_about
     group by name`;
  const found = Object.keys(rules).map((name) => resultOf(name, 0, []));
  for await (const range of keyRanges(connection, table)) {
    const more = await readRows<LedgerCheck>(connection, {
      text,
      values: [range.after, range.upTo],
    });
    for (const [nth, sum] of found.entries()) {
      found[nth] = more.filter(({ name }) => name === sum.name).reduce(add, sum);
    }
    onRange(range);
  }
  return found;
}

function add({ name, ...sum }: LedgerCheck, more: LedgerCheck): LedgerCheck {
  return {
    name,
    checked: sum.checked + more.checked,
    violations: sum.violations + more.violations,
    examples: [...sum.examples, ...more.examples].slice(0, EXAMPLES_MAX),
  };
}

function resultOf(name: string, checked: number, violating: readonly string[]): LedgerCheck {
  const examples = violating.slice(0, EXAMPLES_MAX);
  return { name, checked, violations: violating.length, examples };
}

async function checkBalances(connection: Queryable): Promise<readonly LedgerCheck[]> {
  const balances = await readBalances(connection);
  const accounts = [...balances.keys()];
  const known = (await readKnownAccounts(connection)).map(({ account_id: account }) => account);
  const unknown = accounts.filter((account) => !known.includes(account));
  // The balance of an account for a provider's debt is below zero by that debt.
  const due = accounts.filter((account) => account.startsWith('due:'));
  const overpaid = due.filter((account) => (balances.get(account) ?? 0) > 0);
  return [
    resultOf('accounts_are_known', accounts.length, unknown),
    resultOf('providers_repaid_at_most_what_was_due', due.length, overpaid),
    await checkHoldingAccount(connection, balances),
  ];
}

async function checkHoldingAccount(
  connection: Queryable,
  balances: Balances,
): Promise<LedgerCheck> {
  const [balance, entries] = [
    await readHoldingAccountBalance(connection),
    balances.get('holding') ?? 0,
  ];
  const violations = [
    ...(balance === entries
      ? []
      : [`the stored balance is ${balance} cents, the entries of holding sum to ${entries}`]),
    ...(balance < 0 ? ['the stored balance is below zero'] : []),
  ];
  return resultOf('holding_balance_equals_the_holding_account', 1, violations);
}
