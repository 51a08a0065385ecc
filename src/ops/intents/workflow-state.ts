// What Temporal says of a payment's workflow: whether its tasks fail, which requests no worker has
// completed, and which activities wait for another attempt. The rows cannot show any of these.
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { PAYMENTS_QUEUE, paymentWorkflowId } from '../../../workflows/messages/messages';
import type { IntentId } from '../../domain/ids';
import { callUntil, describeWorkflow } from '../../temporal/connection';
import type { Session } from '../session';
import { noAnswer, withTemporal, type TemporalSession, type TemporalTools } from '../temporal';

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
  /**
   * When a request came that no worker has completed: a confirm as a rule, else a cancel or a
   * reminder. Null if Temporal holds none.
   */
  readonly unfinished_since: Date | null;
  /** Whether a worker has polled for payments in the last minutes. */
  readonly is_queue_polled: boolean | null;
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
/** More than a payment has that waits for its confirm. */
const LATEST_EVENTS = 1_000;

type Settings = Pick<Session['config'], 'temporal' | 'TEMPORAL_UI_URL'>;

export async function readWorkflowState(
  session: TemporalSession & { readonly config: Settings },
  intentId: IntentId,
): Promise<WorkflowState> {
  const none = { failing_task: null, unfinished_since: null, is_queue_polled: null, retrying: [] };
  const nothing = { status: null, unknown: null, ...none };
  const ui = { ui_url: uiUrl(session.config, intentId) };
  try {
    const read = (tools: TemporalTools) =>
      callUntil(tools.client, tools.deadline, () => readState(tools, intentId));
    const state = await withTemporal(session, read, ANSWERS_WITHIN_MS);
    return { ...nothing, ...state, ...ui };
  } catch (error) {
    return { ...nothing, unknown: noAnswer(error), ...ui };
  }
}

async function readState({ client }: TemporalTools, intentId: IntentId) {
  const workflow = await describeWorkflow(client, paymentWorkflowId(intentId));
  if (workflow === undefined) return {};
  const { raw, status } = workflow;
  const isRunning = status.name === 'RUNNING';
  return {
    status: status.name,
    ...(isRunning && (await readTasks(client, workflow))),
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

type Events = readonly temporal.api.history.v1.IHistoryEvent[];

async function readTasks(client: TemporalTools['client'], workflow: WorkflowExecutionDescription) {
  const { namespace } = client.options;
  const { workflowId, runId, raw } = workflow;
  const [{ history }, { pollers }] = await Promise.all([
    client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: LATEST_EVENTS,
    }),
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: PAYMENTS_QUEUE },
      taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    }),
  ]);
  const newestFirst = history?.events ?? [];
  return {
    failing_task: failingTask(newestFirst, raw),
    unfinished_since: unfinishedSince(newestFirst.toReversed(), raw),
    is_queue_polled: pollers.length > 0,
  };
}

type Raw = WorkflowExecutionDescription['raw'];

/** Temporal writes only the first failure of a task to the history. */
function failingTask(newestFirst: Events, { pendingWorkflowTask: task }: Raw): FailingTask | null {
  const ended = newestFirst.find(
    ({
      workflowTaskCompletedEventAttributes: completed,
      workflowTaskFailedEventAttributes: failed,
    }) => completed ?? failed,
  );
  if (!ended?.workflowTaskFailedEventAttributes) return null;
  const attempts = Math.max((task?.attempt ?? 1) - 1, 1);
  return { attempts, ...causeOf(ended.workflowTaskFailedEventAttributes) };
}

/**
 * An accepted update is in the history. One that no worker has got yet is not: it shows as the task
 * that it has woken the workflow with, since a payment that waits for its payer has none.
 */
function unfinishedSince(events: Events, { pendingWorkflowTask: task }: Raw): Date | null {
  const answered = new Set(
    events.map((event) =>
      String(event.workflowExecutionUpdateCompletedEventAttributes?.acceptedEventId),
    ),
  );
  const accepted = events.find(
    ({ eventId, workflowExecutionUpdateAcceptedEventAttributes: isAccepted }) =>
      isAccepted && !answered.has(String(eventId)),
  );
  const afterLast = events.findLastIndex((event) => event.workflowTaskCompletedEventAttributes) + 1;
  const woken = events.slice(afterLast).find((event) => event.workflowTaskScheduledEventAttributes);
  const since = accepted ?? (task && (woken ?? { eventTime: task.originalScheduledTime }));
  return optionalTsToDate(since?.eventTime) ?? null;
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
