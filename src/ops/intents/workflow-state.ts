// What Temporal says of a payment's workflow: whether its tasks fail, and which activities wait for
// another attempt. The rows cannot show either.
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { paymentWorkflowId } from '../../../workflows/messages/messages';
import type { OpsConfig } from '../../config';
import type { IntentId } from '../../domain/ids';
import { callUntil, describeWorkflow } from '../../temporal/connection';
import { noAnswer, withTemporal, type TemporalTools } from '../temporal';

/** The JSON shape that programs rely on. */
export interface WorkflowState {
  /** Such as `RUNNING`; null if there is no workflow, or Temporal gave no answer. */
  readonly status: string | null;
  /** Why Temporal gave no answer; else null. */
  readonly unknown: string | null;
  /** Null unless the latest workflow task has failed. */
  readonly failing_task: FailingTask | null;
  /** Activities that have failed and wait for another attempt. */
  readonly retrying: readonly RetryingActivity[];
  /** The workflow in Temporal's UI; null without TEMPORAL_UI_URL. */
  readonly ui_url: string | null;
}

interface FailingTask {
  readonly attempts: number;
  /** Temporal's cause, such as `BAD_SEARCH_ATTRIBUTES`. */
  readonly cause: string;
  readonly message: string;
}

interface RetryingActivity {
  readonly activity: string;
  readonly attempts: number;
  /** Such as `PayoutUnknown` (activities/failures.ts); null for an unexpected error. */
  readonly failure_type: string | null;
  readonly last_failure: string;
  readonly next_attempt_at: Date | null;
}

/** Operators wait no longer than this for a Temporal that is away. */
const ANSWERS_WITHIN_MS = 1_500;
const LATEST_EVENTS = 20;

type Settings = Pick<OpsConfig, 'temporal' | 'TEMPORAL_UI_URL'>;

export async function readWorkflowState(
  config: Settings,
  intentId: IntentId,
): Promise<WorkflowState> {
  const nothing = { status: null, unknown: null, failing_task: null, retrying: [] };
  const ui = { ui_url: uiUrl(config, intentId) };
  try {
    const read = (tools: TemporalTools) =>
      callUntil(tools.client, tools.deadline, () => readState(tools, intentId));
    const state = await withTemporal(config, read, ANSWERS_WITHIN_MS);
    return { ...nothing, ...state, ...ui };
  } catch (error) {
    return { ...nothing, unknown: noAnswer(error), ...ui };
  }
}

async function readState({ client }: TemporalTools, intentId: IntentId) {
  const workflow = await describeWorkflow(client, paymentWorkflowId(intentId));
  if (workflow === undefined) return {};
  const { raw, status } = workflow;
  return {
    status: status.name,
    failing_task: status.name === 'RUNNING' ? await readFailingTask(client, workflow) : null,
    retrying: (raw.pendingActivities ?? [])
      .filter(({ attempt, lastFailure }) => (attempt ?? 1) > 1 && lastFailure)
      .map(toRetrying),
  };
}

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

function toRetrying({ activityType, attempt, lastFailure, scheduledTime }: PendingActivity) {
  return {
    activity: activityType?.name ?? '',
    attempts: (attempt ?? 1) - 1,
    ...failureOf(lastFailure),
    next_attempt_at: optionalTsToDate(scheduledTime) ?? null,
  };
}

function failureOf(failure: PendingActivity['lastFailure']) {
  const type = failure?.applicationFailureInfo?.type ?? null;
  return { failure_type: type, last_failure: failure?.message ?? '' };
}

/** Temporal writes only the first failure of a task to the history. */
async function readFailingTask(
  client: TemporalTools['client'],
  { workflowId, runId, raw }: WorkflowExecutionDescription,
): Promise<FailingTask | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: LATEST_EVENTS,
  });
  const ended = (history?.events ?? []).find(
    ({
      workflowTaskCompletedEventAttributes: completed,
      workflowTaskFailedEventAttributes: failed,
    }) => completed ?? failed,
  );
  if (!ended?.workflowTaskFailedEventAttributes) return null;
  const attempts = Math.max((raw.pendingWorkflowTask?.attempt ?? 1) - 1, 1);
  return { attempts, ...causeOf(ended.workflowTaskFailedEventAttributes) };
}

function causeOf({ cause, failure }: temporal.api.history.v1.IWorkflowTaskFailedEventAttributes) {
  const name: string = temporal.api.enums.v1.WorkflowTaskFailedCause[cause ?? 0] ?? '';
  return {
    cause: name.replace('WORKFLOW_TASK_FAILED_CAUSE_', ''),
    message: failure?.message ?? '',
  };
}

function uiUrl({ TEMPORAL_UI_URL: ui, temporal: { namespace } }: Settings, intentId: IntentId) {
  if (ui === undefined) return null;
  const id = encodeURIComponent(paymentWorkflowId(intentId));
  return `${ui.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${id}`;
}
