// Reads the six sources, all without the proxies.
import { z } from 'zod';
import { runTask } from '../../../src/dev/stack/own-process';
import type { Actors } from '../actors/actors';
import type { Evidence, LedgerFacts } from './evidence';
import type { LogReader } from './log-reader';
import type { SecretSearch } from './secrets';
import { readInboxes } from '../sources/inbox';
import { readJournal } from '../sources/journal';
import { readAll } from '../sources/readings';
import { readReconciliation } from '../sources/reconciliation';
import { readBalances, readRows } from '../sources/rows';
import { readWorkflows } from '../sources/workflows';
import type { System } from '../system';

interface Reading {
  readonly search: SecretSearch;
  /** Searches the logs for secrets; the rest is read after all other sources. */
  readonly logs: LogReader;
}

export async function collect(
  system: System,
  { database, client, endpoints, driver, operator, slowCommits, forPeople }: Actors,
  { search, logs }: Reading,
): Promise<Evidence> {
  const [answers, operatorAnswers] = [driver.answers, operator.answers];
  const rows = await readRows(database, forPeople.where);
  const [balances, checks, journal, inbox, readings, workflows] = await Promise.all([
    readBalances(database),
    checkLedger(system),
    readJournal(system.servers.provider),
    readInboxes(system.partners, endpoints),
    readAll(system, rows),
    readWorkflows(client, (workflowId, text) => search.look(`the history of ${workflowId}`, text)),
  ]);
  // The reconciliation may raise attention, so the rows are read before it.
  const reconciliation = await readReconciliation(system, database);
  for (const { operation, text } of answers) search.look(`an answer to a ${operation}`, text);
  for (const { operation, text } of operatorAnswers) search.look(`an answer to ${operation}`, text);
  logs.end();
  return {
    ...{ rows, journal, readings, workflows, inbox, reconciliation, answers, operatorAnswers },
    ...{ slowCommits: slowCommits.periods, ledger: { ...balances, checks } },
  };
}

const checksSchema = z.object({
  checks: z.array(
    z.object({
      name: z.string(),
      checked: z.number(),
      violations: z.number(),
      examples: z.array(z.string()),
    }),
  ),
});

/**
 * Runs as a separate process, as operators do. It exits 1 on a violation, and then the task fails.
 */
async function checkLedger({ tasks }: System): Promise<LedgerFacts['checks']> {
  const args = ['ledger', 'check', '--json'];
  const task = { name: 'payctl-ledger-check', script: 'src/ops/payctl.ts', args };
  const check = async () => checksSchema.parse(JSON.parse(await runTask(task, tasks))).checks;
  try {
    // A statement may time out on a slow machine. A real violation fails the second time too.
    return await check().catch(check);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ name: 'exit code', checked: 1, violations: 1, examples: [why] }];
  }
}
