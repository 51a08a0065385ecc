// What operators see of a run in the Temporal UI, asked for as the UI asks for it (architecture, section 3, "Legibility and
// budget").
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  CORRIDOR,
  NEEDS_ATTENTION,
  PARTNER_ID,
  PAYMENT_STATUS,
} from '../../../workflows/messages/messages';

/** The SDK answers it for every run, from the run's memory: a worker has to be there. */
const METADATA_QUERY = '__temporal_workflow_metadata';

/** What stands in the UI's list, and above a run's history. */
export async function markedInUi(run: Pick<WorkflowHandle, 'describe'>) {
  const { typedSearchAttributes: marks, staticSummary } = await run.describe();
  return {
    summary: await staticSummary(),
    partnerId: marks.get(PARTNER_ID),
    corridor: marks.get(CORRIDOR),
    status: marks.get(PAYMENT_STATUS),
    needsAttention: marks.get(NEEDS_ATTENTION),
  };
}

/** The same, with what stands under "Current Details". */
export async function shownInUi(run: Pick<WorkflowHandle, 'describe' | 'query'>) {
  const { currentDetails } = await run.query<{ readonly currentDetails: string }>(METADATA_QUERY);
  return { ...(await markedInUi(run)), currentDetails };
}

/** What stands behind the events of its history: its own summary first, then those of its steps and timers. */
export async function summariesInUi(
  run: Pick<WorkflowHandle, 'fetchHistory'>,
): Promise<readonly string[]> {
  const { events } = await run.fetchHistory();
  const summaries = events?.flatMap(({ userMetadata }) => userMetadata?.summary ?? []) ?? [];
  return summaries.map((summary) => defaultPayloadConverter.fromPayload<string>(summary));
}
