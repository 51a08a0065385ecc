// Reads the six sources, each past every proxy and by its own way.
import { z } from 'zod';
import { runTask } from '../../../src/dev/stack/own-process';
import type { Cast } from '../actors/actors';
import type { Evidence, LedgerFacts } from './evidence';
import type { LogReader } from './log-reader';
import type { SecretSearch } from './secrets';
import { readInboxes } from '../sources/inbox';
import { readJournal } from '../sources/journal';
import { readAll } from '../sources/readings';
import { readReconciliation } from '../sources/reconciliation';
import { readBalances, readRows } from '../sources/rows';
import { readRuns } from '../sources/runs';
import type { System } from '../system';

interface Reading {
  readonly search: SecretSearch;
  /** Of the search: what is left is read when everything else has been asked. */
  readonly logs: LogReader;
}

export async function collect(
  system: System,
  { database, client, endpoints, desk, operator, slowCommits }: Cast,
  { search, logs }: Reading,
): Promise<Evidence> {
  const [answers, operatorAnswers] = [desk.answers, operator.answers];
  const rows = await readRows(database);
  const [balances, checks, journal, inbox, readings, runs] = await Promise.all([
    readBalances(database),
    checkLedger(system),
    readJournal(system.servers.provider),
    readInboxes(system.partners, endpoints),
    readAll(system, rows),
    readRuns(client, (workflowId, text) => search.look(`the history of ${workflowId}`, text)),
  ]);
  // It raises attention, which the rows must not have yet when they are read.
  const reconciliation = await readReconciliation(system, database);
  for (const { asked, text } of answers) search.look(`an answer to a ${asked}`, text);
  for (const { asked, text } of operatorAnswers) search.look(`an answer to ${asked}`, text);
  logs.end();
  return {
    ...{ rows, journal, readings, runs, inbox, reconciliation, answers, operatorAnswers },
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

/** As operations run it: a process of its own. It exits 1 when the ledger does not agree, and then the task fails. */
async function checkLedger({ tasks }: System): Promise<LedgerFacts['checks']> {
  const args = ['ledger', 'check', '--json'];
  const task = { name: 'payctl-ledger-check', script: 'src/ops/payctl.ts', args };
  const check = async () => checksSchema.parse(JSON.parse(await runTask(task, tasks))).checks;
  try {
    // On a slow machine a statement may run out of time. What does not agree, does not agree the second time either.
    return await check().catch(check);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ name: 'exit code', checked: 1, violations: 1, examples: [why] }];
  }
}
