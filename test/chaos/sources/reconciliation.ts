// Source 6: the reconciliation of the provider's statement with our books by `payctl reconcile`, as
// operators run it.
import { z } from 'zod';
import type { Queryable } from '../../../src/postgres/database';
import { runToEnd } from '../../support/programs/run-to-end';
import type { ReconciliationFacts } from '../report/evidence';
import type { System } from '../system';

const ANSWER_WITHIN_MS = 30_000;
/**
 * Sets the clock of this session an hour ahead, because no period may end in the future. The whole
 * run then lies far from both edges of the period.
 */
const AHEAD = `
  create schema if not exists ahead;
  create or replace function ahead.service_now() returns timestamptz
    language sql volatile return clock_timestamp() + interval '1 hour'`;
const UNTIL_AHEAD_MS = 1_800_000;

const printedSchema = z.object({
  findings: z.array(z.object({ kind: z.string(), key: z.string() })),
});

export async function readReconciliation(
  { servers, secrets }: Pick<System, 'servers' | 'secrets'>,
  database: Queryable,
): Promise<ReconciliationFacts> {
  await database.query({ text: AHEAD });
  const reply = await fetch(`${servers.provider}/statement`, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const input = await reply.text();
  const until = new Date(Date.now() + UNTIL_AHEAD_MS).toISOString();
  const period = ['--since', '2000-01-01T00:00:00Z', '--until', until];
  const args = ['reconcile', '--statement', '-', ...period, '--as', 'chaos', '--json'];
  const settings = {
    DATABASE_URL: withClockAhead(servers.postgres),
    KEY_ENCRYPTION_KEY: secrets.key_encryption_key,
  };
  const withWorkflows = await runToEnd('src/ops/payctl.ts', { args, input }, settings);
  const found =
    withWorkflows.stdout === ''
      ? []
      : printedSchema.parse(JSON.parse(withWorkflows.stdout)).findings;
  return {
    exitCode: withWorkflows.code,
    lastWords: withWorkflows.stderr.trim(),
    found: found.map(({ kind, key }) => `${kind} ${key}`),
  };
}

function withClockAhead(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c search_path=ahead,public');
  return url.href;
}
