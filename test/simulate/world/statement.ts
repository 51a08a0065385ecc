// Runs `payctl reconcile` over the provider's statement at the end of a life, as operators do.
import { Readable } from 'node:stream';
import { STATEMENT_EDGE_SECONDS } from '../../../src/domain/limits';
import { reconcile } from '../../../src/ops/ledger/reconcile/reconcile';
import type { LendingDatabase } from '../../../src/postgres/database';
import { recordEnvironment } from '../../../src/postgres/service-environment';
import type { JournalEntry } from '../../chaos/sources/journal';

/** Lines this far from the edges of the period count. */
const FAR_MS = 2 * STATEMENT_EDGE_SECONDS * 1_000;

interface Statement {
  readonly paid: readonly JournalEntry[];
  readonly nowMs: number;
}

export async function reconcileWithStatement(
  database: LendingDatabase,
  setClock: (nowMs: number) => void,
  { paid, nowMs }: Statement,
): Promise<void> {
  const firstMs = Math.min(...paid.map((one) => Date.parse(one.executed_at)));
  const period = { since: new Date(firstMs - FAR_MS), until: new Date(nowMs + FAR_MS) };
  setClock(period.until.getTime());
  await recordEnvironment(database, 'sandbox');
  const lines = paid.map((one) => `${JSON.stringify(one)}\n`).join('');
  await reconcile(database, {
    ...{ name: 'statement.jsonl', actor: 'operator-0', onProgress: () => undefined, ...period },
    bytes: Readable.from([Buffer.from(lines)]),
  });
}
