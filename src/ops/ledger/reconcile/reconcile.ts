// `payctl reconcile`: reads a provider's statement, compares our books with it, and stores what differs (record 130).
import type { Corridor } from '../../../domain/corridor';
import { STATEMENT_EDGE_SECONDS } from '../../../domain/limits';
import { reconciledPart, type Period, type StatementLine } from '../../../domain/reconciliation';
import type { Connection, LendingDatabase, Queryable } from '../../../postgres/database';
import { reconcileBooks, type Compared } from '../../../postgres/reports/reconcile-books';
import { listFindings, storeFindings, type FindingRow } from '../../../postgres/reports/findings';
import {
  lockReconciliation,
  unlockReconciliation,
} from '../../../postgres/reports/reconciliation-lock';
import { liftWatchGaps, type PayoutStop } from '../../../postgres/payouts/stops';
import { stageLines, type StagedStatement } from '../../../postgres/reports/staged-lines';
import { readEnvironment } from '../../../postgres/service-environment';
import { BadOption, Rejection, UnreadableStatement } from '../../rejection';
import { databaseTime } from '../../system-time';
import { attentionFor } from './finding-sentences';
import { openStatement } from './statement';

export interface ReconcileOptions {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Of the file, for the record. */
  readonly name: string;
  /** Each edge of the period that is not given is that of the statement. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** The one corridor that the statement is of; all unless given. */
  readonly corridor?: Corridor | undefined;
  /** Of the statement, where its lines do not say it. */
  readonly environment?: string | undefined;
  readonly actor: string;
  /** Called every few thousand rows. */
  readonly onProgress: (done: string, rows: number) => void;
}

export interface Reconciled extends Compared {
  /** Of the statement's file. */
  readonly statement: string;
  readonly reconciliationId: number;
  readonly environment: string;
  readonly sha256: Buffer;
  readonly period: Period;
  /** The part of the period in which the books had to agree; null when it is too short to have one. */
  readonly judged: Period | null;
  readonly corridor: Corridor | null;
  readonly lines: number;
  /** Lines of payouts that moved no money. */
  readonly linesNotPaid: number;
  readonly differences: number;
  /** Earlier findings that are no difference any more. */
  readonly closed: number;
  /** The first of them. */
  readonly findings: readonly FindingRow[];
  /** The books agree in the whole of `judged`, and there is such a part. */
  readonly isClean: boolean;
  /** The stops of payouts that a clean reconciliation of all corridors has lifted, and no others (record 127). */
  readonly lifted: readonly PayoutStop[];
}

/**
 * @throws UnreadableStatement, BadOption, and then nothing was stored; Rejection while another reconciliation is running, or when the
 * database cannot be compared with any
 */
export function reconcile(database: LendingDatabase, wish: ReconcileOptions): Promise<Reconciled> {
  return database.onConnection(async (connection) => {
    if (!(await lockReconciliation(connection))) throw new Rejection(IS_RUNNING);
    try {
      return await reconcileAlone(connection, wish);
    } finally {
      // Where it fails, the connection is broken, and the lock ends with it.
      await unlockReconciliation(connection).catch(() => undefined);
    }
  });
}

const IS_RUNNING =
  'Another reconciliation of this database is running. Nothing was compared and nothing was stored. Repeat this one when that one has ended.';

async function reconcileAlone(connection: Connection, wish: ReconcileOptions): Promise<Reconciled> {
  const environment = await environmentOf(connection, wish);
  const readFrom = await databaseTime(connection);
  requirePast(wish, readFrom);
  // In the sandbox a statement that does not say its environment is taken: it can raise nothing in production.
  const ofUnmarked = wish.environment ?? (environment === 'sandbox' ? environment : undefined);
  const statement = openStatement(wish.bytes, { ofDatabase: environment, ofUnmarked });
  const staged = await stageLines(connection, notLater(statement.lines, readFrom), (rows) => {
    wish.onProgress('lines read', rows);
  });
  const [sha256, linesNotPaid] = [statement.sha256(), statement.notPaid()];
  const scope = { period: periodOf(staged, wish, readFrom), corridor: wish.corridor ?? null };
  const onProgress = (rows: number) => {
    wish.onProgress('lines and payments compared', rows);
  };
  const compared = await reconcileBooks(connection, { ...scope, onProgress });
  if (compared.linesOutside === staged.lines) throw outside(scope.period);
  const { actor, name } = wish;
  const record = { ...scope, actor, statement: name, sha256, lines: staged.lines };
  const stored = await storeFindings(connection, record, attentionFor);
  const judged = reconciledPart(scope.period);
  const isClean = stored.differences === 0 && judged !== null;
  const isWhole = isClean && scope.corridor === null;
  const reason = `reconciliation ${String(stored.reconciliationId)} is clean`;
  return {
    ...{ environment, linesNotPaid, judged, ...record, ...compared, ...stored },
    findings: await listFindings(connection, stored.reconciliationId),
    isClean,
    lifted: isWhole ? await liftWatchGaps(connection, judged, { actor, reason }) : [],
  };
}

async function environmentOf(
  connection: Queryable,
  { environment: given }: ReconcileOptions,
): Promise<string> {
  const environment = await readEnvironment(connection);
  if (environment === undefined) {
    throw new Rejection(
      'The database does not say which environment it belongs to, so no statement can be told to be of it. Run the migration (node dist/src/main/migrate.js).',
    );
  }
  if (given === undefined || given === environment) return environment;
  throw new BadOption(
    `The statement is of ${given}, and this database is that of ${environment}. Nothing was compared and nothing was stored.`,
  );
}

/** The edges leave out what may still be on its way: no period can end after the time at which it is compared. */
function requirePast({ until }: ReconcileOptions, readFrom: Date): void {
  if (until === undefined || until <= readFrom) return;
  throw new BadOption(
    `--until is ${until.toISOString()}, and the database's clock says ${readFrom.toISOString()}: the period has not ended. Nothing was compared and nothing was stored. Give a time that is not after the one at which the statement was made.`,
  );
}

/** Clocks differ by less than an edge. A payment that is later than that shows that one of the clocks is wrong. */
async function* notLater(
  lines: AsyncIterable<StatementLine>,
  readFrom: Date,
): AsyncGenerator<StatementLine> {
  const latestMs = readFrom.getTime() + STATEMENT_EDGE_SECONDS * 1_000;
  for await (const line of lines) {
    if (line.executedAtMs > latestMs) {
      const why = `executed_at is in the future: the database's clock says ${readFrom.toISOString()}. Is one of the clocks wrong?`;
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

/** It cannot be told from the statement of another period. */
function outside({ since, until }: Period): UnreadableStatement {
  const asked = `from ${since.toISOString()} to ${until.toISOString()}`;
  return new UnreadableStatement(1, `the statement has no line in the period ${asked}.`);
}
