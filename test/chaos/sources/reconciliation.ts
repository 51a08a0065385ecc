// Source 6: the comparison of the provider's statement with our books, by `payctl reconcile` as operations run it.
import { z } from 'zod';
import { runToEnd } from '../../support/run-to-end';
import type { ReconciliationFacts } from '../evidence';
import type { System } from '../system';

const ANSWER_WITHIN_MS = 30_000;
/** The whole run lies inside, far from both edges. */
const PERIOD = ['--since', '2000-01-01T00:00:00Z', '--until', '2100-01-01T00:00:00Z'];

const printedSchema = z.object({
  findings: z.array(z.object({ kind: z.string(), key: z.string() })),
});

export async function readReconciliation({
  servers,
  secrets,
}: Pick<System, 'servers' | 'secrets'>): Promise<ReconciliationFacts> {
  const reply = await fetch(`${servers.provider}/statement`, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const input = await reply.text();
  const args = ['reconcile', '--statement', '-', ...PERIOD, '--as', 'chaos', '--json'];
  const settings = {
    DATABASE_URL: servers.postgres,
    KEY_ENCRYPTION_KEY: secrets.key_encryption_key,
  };
  const ran = await runToEnd('src/ops/payctl.ts', { args, input }, settings);
  const found = ran.stdout === '' ? [] : printedSchema.parse(JSON.parse(ran.stdout)).findings;
  return {
    exitCode: ran.code,
    lastWords: ran.stderr.trim(),
    found: found.map(({ kind, key }) => `${kind} ${key}`),
  };
}
