// Reads the payments in a provider's statement, line by line (docs/operations.md, "The statement").
// One line that cannot be read for certain rejects the whole statement.
import { parseIntentId, stepKey, type IntentId } from '../../../domain/ids';
import { STATEMENT_TEXT_MAX_CHARACTERS } from '../../../domain/limits';
import { isCostText, type LocalAmount } from '../../../domain/money';
import type { StatementLine } from '../../../domain/reconciliation';
import { parseRfc3339 } from '../../../domain/rfc3339';
import { UnreadableStatement } from '../../rejection';
import { readRecords, type StatementRecord } from './statement-records';
import { decodeStatement } from './statement-text';

interface Statement {
  /** The payments, in the order of the statement. @throws UnreadableStatement */
  readonly lines: AsyncIterable<StatementLine>;
  /** Complete once all lines have been read. */
  sha256(): Buffer;
  /** How many lines so far moved no money, such as declined payouts. */
  notPaid(): number;
}

interface Environments {
  /** The environment of the database. */
  readonly ofDatabase: string;
  /** The environment of lines that do not say theirs; undefined if it is unknown. */
  readonly ofUnmarked: string | undefined;
}

export function openStatement(
  bytes: AsyncIterable<Uint8Array>,
  environments: Environments,
): Statement {
  const text = decodeStatement(bytes);
  let notPaid = 0;
  return { lines: read(), sha256: () => text.sha256(), notPaid: () => notPaid };

  async function* read(): AsyncGenerator<StatementLine> {
    for await (const record of readRecords(text)) {
      checkEnvironment(record, environments);
      const movement = movementIn(record);
      if (movement === null) notPaid += 1;
      else yield toLine(record, movement === 'returned');
    }
  }
}

function checkEnvironment(
  { line, members }: StatementRecord,
  { ofDatabase, ofUnmarked }: Environments,
): void {
  const { environment = ofUnmarked } = members;
  if (environment === ofDatabase) return;
  if (environment === undefined) {
    throw new UnreadableStatement(
      line,
      `it does not say its environment, and this database is that of ${ofDatabase}. If the statement is too, give --env ${ofDatabase}.`,
    );
  }
  throw new UnreadableStatement(
    line,
    `it is of the environment ${JSON.stringify(environment)}, and this database is that of ${ofDatabase}.`,
  );
}

/**
 * A line without a status was executed, as in the sandbox's journal. Null if it moved no money.
 */
function movementIn({ line, members }: StatementRecord): 'paid' | 'returned' | null {
  const { status = 'paid' } = members;
  if (status === 'paid' || status === 'returned') return status;
  if (status === 'declined' || status === 'pending') return null;
  throw new UnreadableStatement(line, 'status is none of paid, returned, pending and declined.');
}

function toLine({ line, members }: StatementRecord, isReturned: boolean): StatementLine {
  const { key, corridor, executed_at: executedAt } = members;
  if (!isText(key)) throw new UnreadableStatement(line, `key ${TEXT}`);
  const amounts = amountsIn(line, members);
  if (!isText(corridor)) throw new UnreadableStatement(line, `corridor ${TEXT}`);
  const executedAtMs = typeof executedAt === 'string' ? parseRfc3339(executedAt) : undefined;
  if (executedAtMs === undefined) {
    const why = 'executed_at is not an RFC 3339 time, such as 2026-03-02T12:00:00Z.';
    throw new UnreadableStatement(line, why);
  }
  const intentId = intentOf(key);
  return { line, key, intentId, ...amounts, corridor, isReturned, executedAtMs };
}

/** In cents, in the payee's currency, or in both. */
function amountsIn(line: number, members: StatementRecord['members']) {
  const [local, cost] = [localIn(line, members), costIn(line, members)];
  const { amount_usd_cents: cents } = members;
  if (cents === undefined && local !== null) return { amountUsdCents: null, local, cost };
  if (isWhole(cents)) return { amountUsdCents: cents, local, cost };
  throw new UnreadableStatement(line, 'amount_usd_cents is not a whole number of cents above 0.');
}

/** What the payee got: `{ "currency": "THB", "amount": 43125 }`, in minor units. */
function localIn(line: number, { local }: StatementRecord['members']): LocalAmount | null {
  if (local === undefined || local === null) return null;
  const { currency, amount: minor } = Object(local) as Readonly<Record<string, unknown>>;
  if ((currency === 'THB' || currency === 'VND') && isWhole(minor)) return { currency, minor };
  const why = 'local is not { currency, amount }: THB or VND, and a whole number of minor units.';
  throw new UnreadableStatement(line, why);
}

/** `{ "currency": "USDT", "debited": "12.5000001" }`. One USDT counts as one USD. */
function costIn(line: number, { cost }: StatementRecord['members']): string | null {
  if (cost === undefined || cost === null) return null;
  const { currency, debited } = Object(cost) as Readonly<Record<string, unknown>>;
  const isKnown = currency === 'USD' || currency === 'USDT';
  if (isKnown && typeof debited === 'string' && isCostText(debited)) return debited;
  const why = 'cost is not { currency, debited }: USD or USDT, and a decimal text.';
  throw new UnreadableStatement(line, why);
}

const PRINTABLE = /^\P{C}+$/u;
const TEXT = `is not a text of 1 to ${String(STATEMENT_TEXT_MAX_CHARACTERS)} printable characters.`;

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= STATEMENT_TEXT_MAX_CHARACTERS &&
    PRINTABLE.test(value)
  );
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function intentOf(key: string): IntentId | null {
  const intentId = parseIntentId(key.split(':', 1)[0] ?? '');
  return intentId !== undefined && stepKey(intentId, 'payout') === key ? intentId : null;
}
