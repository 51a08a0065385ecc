// Applies the commands of a workflow task to the model of the server. An unknown command fails the
// life, so that the model never ignores one silently.
import { defaultPayloadConverter } from '@temporalio/common';
import { msOf } from './durations';
import { isOpen, TEMPORAL } from './run';
import type { ActivityOutcome, Command, Failure, Job, PendingActivity, Run, Server } from './run';

type ScheduleActivity = NonNullable<Command['scheduleActivity']>;

export function isEnd(command: Command): boolean {
  return Boolean(
    command.completeWorkflowExecution ??
    command.failWorkflowExecution ??
    command.continueAsNewWorkflowExecution,
  );
}

type Apply = (server: Server, run: Run, command: Command) => void;

/** Handlers by the member that a command has. */
const APPLY: Partial<Record<keyof Command, Apply>> = {
  scheduleActivity: (server, run, { scheduleActivity }) => {
    if (scheduleActivity) schedule(server, run, scheduleActivity);
  },
  startTimer: (server, run, { startTimer }) => {
    begin(server, run, startTimer?.seq ?? 0, msOf(startTimer?.startToFireTimeout));
  },
  cancelTimer: (_server, run, { cancelTimer }) => {
    run.timers.delete(cancelTimer?.seq ?? 0);
    run.events.push('TimerCanceled');
  },
  requestCancelActivity: (server, run, { requestCancelActivity }) => {
    cancelActivity(server, run, requestCancelActivity?.seq ?? 0);
  },
  // The worker sends this command once the local activity has its result, as the marker.
  scheduleLocalActivity: (_server, run) => run.events.push('MarkerRecorded'),
  updateResponse: (_server, run, { updateResponse }) => {
    if (updateResponse) answerUpdate(run, updateResponse);
  },
  upsertWorkflowSearchAttributes: (_server, run) =>
    run.events.push('UpsertWorkflowSearchAttributes'),
  completeWorkflowExecution: (server, run, { completeWorkflowExecution }) => {
    const result = completeWorkflowExecution?.result;
    run.result = result ? defaultPayloadConverter.fromPayload(result) : null;
    server.close(run, 'COMPLETED', 'WorkflowExecutionCompleted');
  },
  failWorkflowExecution: (server, run, { failWorkflowExecution }) => {
    run.result = failWorkflowExecution?.failure?.message;
    server.close(run, 'FAILED', 'WorkflowExecutionFailed');
  },
};

/** Leaves out timers that their own task cancels: the SDK's core never sends those. */
export function withoutCancelledTimers(commands: readonly Command[]): readonly Command[] {
  const seqsOf = (member: 'startTimer' | 'cancelTimer') =>
    new Set(commands.flatMap((command) => command[member]?.seq ?? []));
  const [started, cancelled] = [seqsOf('startTimer'), seqsOf('cancelTimer')];
  return commands.filter(({ startTimer, cancelTimer }) => {
    const seq = (startTimer ?? cancelTimer)?.seq ?? -1;
    return !started.has(seq) || !cancelled.has(seq);
  });
}

/** The member that identifies the command. */
export function kindOf(command: Command): keyof Command | undefined {
  return (Object.keys(command) as (keyof Command)[]).find(
    (name) => name !== 'userMetadata' && Boolean(command[name]),
  );
}

export function applyCommand(server: Server, run: Run, command: Command): void {
  const kind = kindOf(command);
  const apply = kind && APPLY[kind];
  if (apply === undefined)
    throw new Error(`the model does not support the command ${String(kind)}`);
  apply(server, run, command);
}

function answerUpdate(
  run: Run,
  { protocolInstanceId, rejected, completed }: NonNullable<Command['updateResponse']>,
): void {
  const id = protocolInstanceId ?? '';
  const update = run.updates.get(id);
  if (rejected) {
    // A rejected update leaves no trace: the same id may be sent again.
    if (update) update.outcome = { failed: rejected };
    run.updates.delete(id);
  } else if (completed) {
    if (update) update.outcome = { completed };
    run.events.push('WorkflowExecutionUpdateCompleted');
  } else run.events.push('WorkflowExecutionUpdateAccepted');
}

function begin(server: Server, run: Run, seq: number, ms = 0): void {
  run.timers.add(seq);
  run.events.push('TimerStarted');
  server.fibers.spawn('a timer', TEMPORAL, async () => {
    const isGone = () => !run.timers.has(seq) || !isOpen(run);
    if (await server.fibers.wait(isGone, ms)) return;
    run.timers.delete(seq);
    server.deliver(run, ['TimerFired'], { fireTimer: { seq } });
  });
}

/**
 * The workflow sees the cancellation at once. An attempt under way goes on, but its result is
 * dropped.
 */
function cancelActivity(server: Server, run: Run, seq: number): void {
  const pending = run.activities.get(seq);
  run.events.push('ActivityTaskCancelRequested');
  if (pending?.isOpen !== true) return;
  pending.isOpen = false;
  server.fibers.spawn('an activity was cancelled', TEMPORAL, () => {
    server.deliver(run, ['ActivityTaskCanceled'], undefined);
    return Promise.resolve();
  });
}

function schedule(server: Server, run: Run, command: ScheduleActivity): void {
  const pending = { seq: command.seq ?? 0, type: command.activityType ?? '', isOpen: true };
  run.activities.set(pending.seq, pending);
  run.events.push('ActivityTaskScheduled');
  server.fibers.spawn(`hand out ${pending.type}`, TEMPORAL, () =>
    attempt(server, run, pending, command),
  );
}

async function attempt(
  server: Server,
  run: Run,
  pending: PendingActivity,
  command: ScheduleActivity,
): Promise<void> {
  const { fibers } = server;
  const isOver = () => !pending.isOpen || !isOpen(run);
  const lastMs = fibers.nowMs + (msOf(command.scheduleToCloseTimeout) ?? Number.POSITIVE_INFINITY);
  for (let number = 1; !isOver(); number += 1) {
    await fibers.wait(() => server.isPolled || isOver());
    const outcome = isOver() ? undefined : await attemptOnce(server, command, number, isOver);
    if (isOver()) return;
    const retryMs = retryAfterMs(command, outcome, number);
    if (retryMs !== null && fibers.nowMs + retryMs <= lastMs) {
      await fibers.wait(isOver, retryMs);
      continue;
    }
    pending.isOpen = false;
    const event = isDone(outcome) ? 'ActivityTaskCompleted' : 'ActivityTaskFailed';
    server.deliver(run, ['ActivityTaskStarted', event], resolution(command, outcome));
  }
}

function isDone(
  outcome: ActivityOutcome | undefined,
): outcome is Extract<ActivityOutcome, { readonly completed: unknown }> {
  return outcome !== undefined && 'completed' in outcome;
}

/** Undefined after a timeout: the attempt may still go on. */
async function attemptOnce(
  server: Server,
  command: ScheduleActivity,
  number: number,
  isOver: () => boolean,
): Promise<ActivityOutcome | undefined> {
  let outcome: ActivityOutcome | undefined;
  server.poller()?.beginActivity({
    type: command.activityType ?? '',
    args: command.arguments ?? [],
    number,
    report(said) {
      outcome = said;
    },
  });
  const isReported = () => (outcome !== undefined && !server.isAway) || isOver();
  await server.fibers.wait(isReported, msOf(command.startToCloseTimeout));
  const said = outcome;
  outcome = undefined;
  return server.isAway ? undefined : said;
}

/** Null when there is no further attempt. */
function retryAfterMs(
  { retryPolicy }: Pick<ScheduleActivity, 'retryPolicy'>,
  outcome: ActivityOutcome | undefined,
  number: number,
): number | null {
  if (isDone(outcome)) return null;
  if (outcome?.failed.applicationFailureInfo?.nonRetryable === true) return null;
  return outcome?.nextRetryMs ?? backoffMs(retryPolicy, number);
}

/** The delay of the policy after this number of attempts. */
export function backoffMs(policy: ScheduleActivity['retryPolicy'], attempts: number): number {
  const firstMs = msOf(policy?.initialInterval) ?? 1_000;
  const longestMs = msOf(policy?.maximumInterval) ?? firstMs * 100;
  return Math.min(firstMs * (policy?.backoffCoefficient ?? 2) ** (attempts - 1), longestMs);
}

function resolution(
  { seq = 0, activityType = '', activityId = '' }: ScheduleActivity,
  outcome: ActivityOutcome | undefined,
): Job {
  if (isDone(outcome))
    return { resolveActivity: { seq, result: { completed: { result: outcome.completed } } } };
  const failure: Failure = {
    message: 'Activity task failed',
    source: 'Server',
    cause: outcome?.failed ?? TIMED_OUT,
    activityFailureInfo: { activityType: { name: activityType }, activityId },
  };
  return { resolveActivity: { seq, result: { failed: { failure } } } };
}

const TIMED_OUT: Failure = { message: 'activity StartToClose timeout', timeoutFailureInfo: {} };
