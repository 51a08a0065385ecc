// "Recorded histories of every path are replayed in CI; a change that breaks one needs `patched()`"
// (architecture, section 3).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { bundleWorkflowCode, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';

const FOLDER = join(__dirname, 'histories');
const names = readdirSync(FOLDER);

interface RecordedEvent {
  readonly eventType: string;
}

function readHistory(name: string): { readonly events: readonly RecordedEvent[] } {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as { events: RecordedEvent[] };
}

describe('recorded histories', () => {
  let workflowBundle: WorkflowBundleWithSourceMap;

  beforeAll(async () => {
    quietTemporal();
    workflowBundle = await bundleWorkflowCode(workflowsToTest);
  });

  it.each(names)('%s replays against the workflows of today', async (name) => {
    const history: unknown = historyFromJSON(readHistory(name));
    await expect(
      Worker.runReplayHistory({ workflowBundle, replayName: name }, history, 'pi_replayed'),
    ).resolves.toBeUndefined();
  });

  it('refuses a history that these workflows could not have made', async () => {
    const { events } = readHistory('captured.json');
    const twisted = JSON.parse(
      JSON.stringify({ events }).replaceAll('debitHoldingAccount', 'payTwice'),
    ) as object;
    const history: unknown = historyFromJSON(twisted);
    await expect(
      Worker.runReplayHistory({ workflowBundle, replayName: 'twisted' }, history, 'pi_replayed'),
    ).rejects.toThrow(/[Nn]on.?determinism/);
  });

  it('spends at most 30 events and 9 billable actions on a captured payment', () => {
    const types = readHistory('captured.json').events.map(({ eventType }) => eventType);
    expect(types.length).toBeLessThanOrEqual(30);
    expect(types.filter(isBillable).length).toBeLessThanOrEqual(9);
  });
});

/** What is billed: the start, updates, activities, markers of local activities, search attribute writes and timers. */
const BILLABLE = [
  'WORKFLOW_EXECUTION_STARTED',
  'WORKFLOW_EXECUTION_UPDATE_ACCEPTED',
  'ACTIVITY_TASK_SCHEDULED',
  'MARKER_RECORDED',
  'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
  'TIMER_STARTED',
];

function isBillable(eventType: string): boolean {
  return BILLABLE.some((billable) => eventType.endsWith(billable));
}
