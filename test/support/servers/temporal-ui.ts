// Reads what operators see of a workflow in the Temporal UI, by the calls of the UI (architecture,
// section 3, "Legibility and budget").
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  CORRIDOR,
  NEEDS_ATTENTION,
  PARTNER_ID,
  PAYMENT_STATUS,
} from '../../../workflows/messages/messages';

/** The SDK answers this query for every workflow. It needs a running worker. */
const METADATA_QUERY = '__temporal_workflow_metadata';

/** The values in the UI's list and above the history. */
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

/** The same values and the text under "Current Details". */
export async function shownInUi(run: Pick<WorkflowHandle, 'describe' | 'query'>) {
  const { currentDetails } = await run.query<{ readonly currentDetails: string }>(METADATA_QUERY);
  return { ...(await markedInUi(run)), currentDetails };
}

/** The summaries in the history: first that of the workflow, then those of its steps and timers. */
export async function summariesInUi(
  run: Pick<WorkflowHandle, 'fetchHistory'>,
): Promise<readonly string[]> {
  const { events } = await run.fetchHistory();
  const summaries = events?.flatMap(({ userMetadata }) => userMetadata?.summary ?? []) ?? [];
  return summaries.map((summary) => defaultPayloadConverter.fromPayload<string>(summary));
}
