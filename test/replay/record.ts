// Records one history per way a payment can go, from a running sandbox: `INTENT_TTL_SECONDS=10 npm start` in one
// terminal, `npm run record:histories [-- NAME…]` in another. The replay test then holds today's workflows to them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { until } from '../../src/dev/until';
import { FOLDER, withoutTheMachine } from './histories';
import { RARE_WAYS } from './rare-ways';
import { openStage, type Stage } from './stage';
import { WAYS, type Driven } from './ways';

async function record(): Promise<void> {
  const stage = await openStage();
  const chosen = process.argv.slice(2);
  for (const [name, drive] of Object.entries({ ...WAYS, ...RARE_WAYS })) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const driven = await drive(stage);
    const text = await historyOf(stage, driven);
    writeFileSync(join(FOLDER, `${name}.json`), text);
    process.stdout.write(`${name}: ${driven.workflowId}\n`);
  }
  await stage.close();
}

/** Waits for the run to end, its webhook included; one that stays open has done what it does when nothing is under way. */
async function historyOf({ temporal }: Stage, { workflowId, isOpen }: Driven): Promise<string> {
  const run = temporal.workflow.getHandle(workflowId);
  // The run may be started a moment after the create was answered.
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

type Run = ReturnType<Stage['temporal']['workflow']['getHandle']>;

/** Of `PendingActivityState`: an activity that waits to be tried again is quiet. */
const STARTED = 2;

async function isQuiet(run: Run): Promise<boolean> {
  const { raw } = await run.describe();
  const { pendingWorkflowTask, pendingActivities } = raw;
  const isStarted = ({ state }: { readonly state?: unknown }) => state === STARTED;
  return !pendingWorkflowTask && !(pendingActivities ?? []).some(isStarted);
}

void record();
