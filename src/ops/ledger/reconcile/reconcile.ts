// Reads a provider's statement, reconciles our books with it, and stores the differences (record
// 130).
import type { Corridor } from '../../../corridors/names';
import { STATEMENT_EDGE_SECONDS } from '../../../domain/limits';
import { reconciledPart, type Period, type StatementLine } from '../../../domain/reconciliation';
import type { Connection, LendingDatabase, Queryable } from '../../../postgres/database';
import {
  lockReconciliation,
  reconcileBooks,
  unlockReconciliation,
  type ReconcileCounts,
} from '../../../postgres/reports/reconcile-books';
import { listFindings, storeFindings, type FindingRow } from '../../../postgres/reports/findings';
import { liftWatchGaps, type PayoutStop } from '../../../postgres/payouts/stops';
import { stageLines, type StagedStatement } from '../../../postgres/reports/staged-lines';
import { readEnvironment } from '../../../postgres/service-environment';
import { BadOption, Rejection, UnreadableStatement } from '../../rejection';
import { databaseTime } from '../../system-time';
import { attentionFor } from './finding-sentences';
import { openStatement } from './statement';

export interface ReconcileOptions {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The name of the file, for the record. */
  readonly name: string;
  /** An edge of the period that is not given is taken from the statement. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** The corridor of the statement; all corridors unless given. */
  readonly corridor?: Corridor | undefined;
  /** The environment of the statement, if its lines do not say it. */
  readonly environment?: string | undefined;
  readonly actor: string;
  /** Called every few thousand rows. */
  readonly onProgress: (done: string, rows: number) => void;
}

export interface Reconciled extends ReconcileCounts {
  /** The name of the statement's file. */
  readonly statement: string;
  readonly reconciliationId: number;
  readonly environment: string;
  readonly sha256: Buffer;
  readonly period: Period;
  /** The part of the period in which the books had to agree; null if the period is too short. */
  readonly reconciledPeriod: Period | null;
  readonly corridor: Corridor | null;
  readonly lines: number;
  /** Lines of payouts that moved no money. */
  readonly linesNotPaid: number;
  readonly differences: number;
  /** Whether it may close findings and lift stops: its statement was approved, or needs not be. */
  readonly isPermitted: boolean;
  /** Earlier findings that are no longer a difference. */
  readonly closed: number;
  /** The first 10 000 at most. */
  readonly findings: readonly FindingRow[];
  /** Whether the books agree in `reconciledPeriod`, which is not null. */
  readonly isClean: boolean;
  /** The stops that a clean reconciliation of all corridors has lifted (decision 127). */
  readonly lifted: readonly PayoutStop[];
}

/**
 * Nothing is stored if it throws one of these:
 * @throws UnreadableStatement or BadOption
 * @throws Rejection while another reconciliation runs, or if the database names no environment
 */
export function reconcile(
  database: LendingDatabase,
  options: ReconcileOptions,
): Promise<Reconciled> {
  return database.onConnection(async (connection) => {
    if (!(await lockReconciliation(connection))) throw new Rejection(ALREADY_RUNNING);
    try {
      return await reconcileLocked(connection, options);
    } finally {
      // If this fails, the connection is broken, and the lock ends with it.
      await unlockReconciliation(connection).catch(() => undefined);
    }
  });
}

const ALREADY_RUNNING =
  'Another reconciliation of this database is running. Nothing was reconciled and nothing was stored. Repeat this command when that one has ended.';

async function reconcileLocked(
  connection: Connection,
  options: ReconcileOptions,
): Promise<Reconciled> {
  const environment = await environmentOf(connection, options);
  const readFrom = await databaseTime(connection);
  requirePast(options, readFrom);
  // The sandbox accepts statements that name no environment: they cannot raise anything in prod.
  const ofUnmarked = options.environment ?? (environment === 'sandbox' ? environment : undefined);
  const statement = openStatement(options.bytes, { ofDatabase: environment, ofUnmarked });
  const lines = checked(statement.lines, readFrom, options);
  const staged = await stageLines(connection, lines, (rows) => {
    options.onProgress('lines read', rows);
  });
  const [sha256, linesNotPaid] = [statement.sha256(), statement.notPaid()];
  const scope = { period: periodOf(staged, options, readFrom), corridor: options.corridor ?? null };
  const onProgress = (rows: number) => {
    options.onProgress('lines and payments reconciled', rows);
  };
  const { unlisted } = staged;
  const books = await reconcileBooks(connection, { ...scope, unlisted, onProgress });
  if (books.linesOutside === staged.lines) throw outside(scope.period);
  const { actor, name } = options;
  const record = { ...scope, unlisted, actor, statement: name, sha256, lines: staged.lines };
  const stored = await storeFindings(connection, record, attentionFor);
  const reconciledPeriod = reconciledPart(scope.period);
  const isClean = stored.differences === 0 && reconciledPeriod !== null;
  // Payouts of a corridor without a line were not reconciled: a restore may have forgotten them.
  const isWhole = isClean && unlisted.length === 0;
  const { reconciliationId } = stored;
  return {
    ...{ environment, linesNotPaid, reconciledPeriod, ...record, ...books, ...stored },
    findings: await listFindings(connection, reconciliationId),
    isClean,
    ...closedOf(stored),
    lifted: isWhole
      ? await liftWatchGaps(connection, reconciledPeriod, { reconciliationId, actor })
      : [],
  };
}

/** Null: nobody has approved the statement. */
function closedOf({ closed }: { readonly closed: number | null }) {
  return { closed: closed ?? 0, isPermitted: closed !== null };
}

async function environmentOf(
  connection: Queryable,
  { environment: given }: ReconcileOptions,
): Promise<string> {
  const environment = await readEnvironment(connection);
  if (environment === undefined) {
    throw new Rejection(
      'The database does not say which environment it belongs to, so no statement can be matched with it. Run the migration (node dist/src/main/migrate.js).',
    );
  }
  if (given === undefined || given === environment) return environment;
  throw new BadOption(
    `The statement is of ${given}, and this database is that of ${environment}. Nothing was reconciled and nothing was stored.`,
  );
}

/**
 * A period cannot end in the future: its last payments may still be on their way to the provider.
 */
function requirePast({ until }: ReconcileOptions, readFrom: Date): void {
  if (until === undefined || until <= readFrom) return;
  throw new BadOption(
    `--until is ${until.toISOString()}, and the database's clock says ${readFrom.toISOString()}: the period has not ended. Nothing was reconciled and nothing was stored. Give a time that is not after the statement was made.`,
  );
}

/**
 * Clocks differ by less than an edge. A later payment means that one of the clocks is wrong. A line
 * of another corridor means that the statement is: each payment would be a difference.
 */
async function* checked(
  lines: AsyncIterable<StatementLine>,
  readFrom: Date,
  { corridor }: ReconcileOptions,
): AsyncGenerator<StatementLine> {
  const latestMs = readFrom.getTime() + STATEMENT_EDGE_SECONDS * 1_000;
  for await (const line of lines) {
    if (line.executedAtMs > latestMs) {
      const why = `executed_at is in the future: the database's clock says ${readFrom.toISOString()}. Is one of the clocks wrong?`;
      throw new UnreadableStatement(line.line, why);
    }
    if (corridor !== undefined && line.corridor !== corridor) {
      const why = `it is of the corridor ${JSON.stringify(line.corridor)}, and --corridor is ${corridor}. Give the statement of ${corridor}, or leave --corridor out if this one covers all.`;
      throw new UnreadableStatement(line.line, why);
    }
    yield line;
  }
}

function periodOf(
  { executed }: StagedStatement,
  { since, until }: ReconcileOptions,
  readFrom: Date,
): Period {
  if (executed === null) {
    throw new UnreadableStatement(1, 'the statement has no line of a payment that was executed.');
  }
  const last = executed.until < readFrom ? executed.until : readFrom;
  const period = { since: since ?? executed.since, until: until ?? last };
  if (period.since <= period.until) return period;
  throw outside(period);
}

/** It looks like the statement of another period. */
function outside({ since, until }: Period): UnreadableStatement {
  const span = `from ${since.toISOString()} to ${until.toISOString()}`;
  return new UnreadableStatement(1, `the statement has no line in the period ${span}.`);
}
