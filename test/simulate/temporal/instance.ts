// One run in a worker's cache: the workflow in the SDK's own virtual machine, unmodified, driven by activations.
import { TypedSearchAttributes } from '@temporalio/common';
import { coresdk } from '@temporalio/proto';
import type { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { timestampOf } from './durations';
import { kindOf } from './commands';
import type { Activation, Command, CompletedTask, Job, Run } from './run';

type Workflow = Awaited<ReturnType<ReusableVMWorkflowCreator['createWorkflow']>>;

/** What cannot be replayed: the workflow came to other commands than its history has. */
export class NotDeterministic extends Error {}

export class Instance {
  /** Of the history, that many tasks are in it. */
  applied = 0;
  /** Local activities that were scheduled and have no result. */
  readonly locals = new Map<number, NonNullable<Command['scheduleLocalActivity']>>();
  /** Results of local activities that the workflow was not given. */
  readonly results: { readonly seq: number; readonly job: Job }[] = [];
  /** Activities whose cancellation ends them at once for the workflow: by it, they have ended. */
  private readonly tryCancel = new Map<number, 'running' | 'cancelled'>();

  private readonly run: Run;
  /** Of this instance alone: one virtual machine serves all workers, of which several may have the run in their caches. */
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
   * @returns the commands of the activation, and the jobs that the SDK's core answers them with at once
   * @throws Error when the workflow threw: its task fails
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
      commands: commands.filter((one) => !this.keepLocal(one)),
      cancelled: this.cancelled(commands),
    };
  }

  /** Without the results of activities that were cancelled meanwhile: the SDK's core keeps those to itself. */
  wanted(jobs: readonly Job[]): readonly Job[] {
    return jobs.filter(
      ({ resolveActivity: resolved }) =>
        resolved?.isLocal === true || this.tryCancel.get(resolved?.seq ?? -1) !== 'cancelled',
    );
  }

  /** @throws NotDeterministic when it comes to other commands than the history has */
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
    requireEqual(commands, replayed);
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

  private keepLocal({ scheduleLocalActivity, scheduleActivity }: Command): boolean {
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

/** Memos and details that the UI shows are nothing that the server acts on. */
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

/** `fromObject` takes plain numbers where the types have 64 bits. */
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
  if (before !== now) throw new NotDeterministic(`the history has ${before}; the replay ${now}`);
}

function nameOf(command: Command): string {
  const kind = kindOf(command);
  const { scheduleActivity, scheduleLocalActivity, startTimer, cancelTimer } = command;
  const about = scheduleActivity ?? scheduleLocalActivity ?? startTimer ?? cancelTimer;
  return [kind, about?.seq, scheduleActivity?.activityType].join(' ').trim();
}
