// Records one history for each way that a payment can go, from a running sandbox:
// `INTENT_TTL_SECONDS=20 npm start` in one terminal, `npm run record:histories [-- NAME…]` in
// another. The replay test replays them with the current workflows.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { until } from '../../src/dev/until';
import { FOLDER, withoutTheMachine } from './histories';
import { openSandboxDriver, type SandboxDriver } from './driver';
import { WAYS, type Driven } from './ways';

async function record(): Promise<void> {
  const driver = await openSandboxDriver();
  const chosen = process.argv.slice(2);
  for (const [name, drive] of Object.entries(WAYS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const driven = await drive(driver);
    const text = await historyOf(driver, driven);
    writeFileSync(join(FOLDER, `${name}.json`), text);
    process.stdout.write(`${name}: ${driven.workflowId}\n`);
  }
  await driver.close();
}

/**
 * Waits for the end of the workflow, including its webhook; for one that stays open, until no work
 * is under way.
 */
async function historyOf(
  { temporal }: SandboxDriver,
  { workflowId, isOpen }: Driven,
): Promise<string> {
  const run = temporal.workflow.getHandle(workflowId);
  // The workflow may start a moment after the answer to the create.
  const isThere = () =>
    run.describe().then(
      () => true,
      () => false,
    );
  await until(isThere, { timeoutMs: 30_000 });
  if (isOpen !== true) await run.result();
  else await until(() => isQuiet(run), { timeoutMs: 30_000, everyMs: 1_000 });
  const recorded: unknown = JSON.parse(historyToJSON(await run.fetchHistory()));
  return `${JSON.stringify(recorded, withoutTheMachine, 1)}\n`;
}

type Run = ReturnType<SandboxDriver['temporal']['workflow']['getHandle']>;

/**
 * A value of `PendingActivityState`. An activity that waits for its next attempt does not count as
 * work.
 */
const STARTED = 2;

async function isQuiet(run: Run): Promise<boolean> {
  const { raw } = await run.describe();
  const { pendingWorkflowTask, pendingActivities } = raw;
  const isStarted = ({ state }: { readonly state?: unknown }) => state === STARTED;
  return !pendingWorkflowTask && !(pendingActivities ?? []).some(isStarted);
}

void record();
