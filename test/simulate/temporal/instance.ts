// One run in a worker's cache: the unmodified workflow in the SDK's virtual machine, driven by
// activations.
import { TypedSearchAttributes } from '@temporalio/common';
import { coresdk } from '@temporalio/proto';
import type { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { timestampOf } from './durations';
import { kindOf, withoutCancelledTimers } from './commands';
import type { Activation, Command, CompletedTask, Job, Run } from './run';

type Workflow = Awaited<ReturnType<ReusableVMWorkflowCreator['createWorkflow']>>;

/** The replay gave other commands than the history contains. */
class NotDeterministic extends Error {}

export class Instance {
  /** Number of tasks of the history that were applied. */
  applied = 0;
  /** Scheduled local activities without a result. */
  readonly locals = new Map<number, NonNullable<Command['scheduleLocalActivity']>>();
  /** Results of local activities that the workflow has not received yet. */
  readonly results: { readonly seq: number; readonly job: Job }[] = [];
  /**
   * Activities of cancellation type TRY_CANCEL: for the workflow they end as soon as it cancels
   * them.
   */
  private readonly tryCancel = new Map<number, 'running' | 'cancelled'>();

  private readonly run: Run;
  /**
   * Unique per instance: all workers share one virtual machine, and several may cache the same run.
   */
  private readonly runId: string;
  private readonly workflow: Workflow;

  private constructor(run: Run, runId: string, workflow: Workflow) {
    this.run = run;
    this.runId = runId;
    this.workflow = workflow;
  }

  static async of(creator: ReusableVMWorkflowCreator, run: Run): Promise<Instance> {
    made += 1;
    const runId = `${run.runId}-${String(made)}`;
    return new Instance(run, runId, await creator.createWorkflow(optionsOf(run, runId)));
  }

  /**
   * @returns the commands of the activation, and the jobs with which the SDK's core answers them at
   *   once
   * @throws Error when the workflow threw, which fails its task
   */
  async activate(activation: Activation, isReplaying: boolean) {
    const completion = await this.workflow.activate(this.activation(activation, isReplaying));
    await this.workflow.getAndResetSinkCalls();
    const { failed, successful } = completion;
    if (failed) throw new Error(failed.failure?.message ?? 'it failed');
    const { usedInternalFlags: flags, commands: given } = { ...NOTHING, ...successful };
    for (const flag of flags ?? []) this.run.flags.add(flag);
    const commands = (given ?? []).filter(isOfHistory);
    return {
      commands: commands.filter((one) => !this.storeLocal(one)),
      cancelled: this.cancelled(commands),
    };
  }

  /** Leaves out results of activities that were cancelled meanwhile, as the SDK's core does. */
  wanted(jobs: readonly Job[]): readonly Job[] {
    return jobs.filter(
      ({ resolveActivity: resolved }) =>
        resolved?.isLocal === true || this.tryCancel.get(resolved?.seq ?? -1) !== 'cancelled',
    );
  }

  /** @throws NotDeterministic when the commands differ from those of the history */
  async replay({ activations, commands }: CompletedTask): Promise<void> {
    const replayed: Command[] = [];
    for (const activation of activations) {
      for (const { resolveActivity } of activation.jobs) {
        if (resolveActivity?.isLocal !== true) continue;
        const seq = resolveActivity.seq ?? 0;
        this.locals.delete(seq);
        replayed.push({ scheduleLocalActivity: { seq } });
      }
      replayed.push(...(await this.activate(activation, true)).commands);
    }
    requireEqual(commands, withoutCancelledTimers(replayed));
    this.applied += 1;
  }

  private activation({ atMs, historyLength, jobs }: Activation, isReplaying: boolean) {
    return coresdk.workflow_activation.WorkflowActivation.fromObject({
      runId: this.runId,
      timestamp: timestampOf(atMs),
      isReplaying,
      historyLength,
      historySizeBytes: 0,
      availableInternalFlags: [...this.run.flags],
      jobs: jobs.map((job) => ('initializeWorkflow' in job ? initialize(this.run) : job)),
    });
  }

  dispose(): Promise<void> {
    return this.workflow.dispose();
  }

  private storeLocal({ scheduleLocalActivity, scheduleActivity }: Command): boolean {
    if (scheduleActivity?.cancellationType === TRY_CANCEL)
      this.tryCancel.set(scheduleActivity.seq ?? 0, 'running');
    if (!scheduleLocalActivity) return false;
    this.locals.set(scheduleLocalActivity.seq ?? 0, scheduleLocalActivity);
    return true;
  }

  private cancelled(commands: readonly Command[]): readonly Job[] {
    return commands.flatMap(({ requestCancelActivity }) => {
      const seq = requestCancelActivity?.seq ?? -1;
      if (!this.tryCancel.has(seq)) return [];
      this.tryCancel.set(seq, 'cancelled');
      const failure = { message: 'Activity cancelled', canceledFailureInfo: {} };
      return [{ resolveActivity: { seq, result: { cancelled: { failure } } } }];
    });
  }
}

const NOTHING = { usedInternalFlags: [], commands: [] };
let made = 0;

const TRY_CANCEL = coresdk.workflow_commands.ActivityCancellationType.TRY_CANCEL;

/** The server does not act on memos and on details for the UI. */
function isOfHistory({ modifyWorkflowProperties }: Command): boolean {
  return !modifyWorkflowProperties;
}

function optionsOf({ runId: seed, start, startedAtMs, isReset }: Run, runId: string) {
  const started = new Date(startedAtMs);
  return {
    info: {
      workflowId: start.workflowId,
      runId,
      workflowType: start.type,
      searchAttributes: {},
      typedSearchAttributes: new TypedSearchAttributes(),
      taskQueue: start.taskQueue,
      namespace: 'default',
      firstExecutionRunId: runId,
      originalExecutionRunId: isReset ? 'the run that was reset' : runId,
      continuedFromExecutionRunId: undefined,
      startTime: started,
      runStartTime: started,
      taskTimeoutMs: start.taskTimeoutMs,
      attempt: 1,
      historyLength: 1,
      historySize: 0,
      continueAsNewSuggested: false,
      targetWorkerDeploymentVersionChanged: false,
      unsafe: { now: () => startedAtMs, isReplaying: false, isReplayingHistoryEvents: false },
      priority: {},
    },
    randomnessSeed: [...Buffer.from(seed.padEnd(16, '.').slice(0, 16))],
    now: startedAtMs,
    showStackTraceSources: false,
    failureExceptionTypeNames: [],
  } as unknown as Parameters<ReusableVMWorkflowCreator['createWorkflow']>[0];
}

/** `fromObject` accepts plain numbers where the types declare 64 bits. */
function initialize({ start, startedAtMs, runId }: Run): object {
  return {
    initializeWorkflow: {
      workflowType: start.type,
      workflowId: start.workflowId,
      arguments: [...start.args],
      attempt: 1,
      firstExecutionRunId: runId,
      startTime: timestampOf(startedAtMs),
      workflowTaskTimeout: { seconds: start.taskTimeoutMs / 1_000 },
    },
  };
}

function requireEqual(history: readonly Command[], replayed: readonly Command[]): void {
  const [before, now] = [history.map(nameOf).join(), replayed.map(nameOf).join()];
  if (before !== now)
    throw new NotDeterministic(`the history has ${before}; the replay gave ${now}`);
}

function nameOf(command: Command): string {
  const kind = kindOf(command);
  const { scheduleActivity, scheduleLocalActivity, startTimer, cancelTimer } = command;
  const about = scheduleActivity ?? scheduleLocalActivity ?? startTimer ?? cancelTimer;
  return [kind, about?.seq, scheduleActivity?.activityType].join(' ').trim();
}
