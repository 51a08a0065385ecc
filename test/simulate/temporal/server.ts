// A model of Temporal's server: runs with their histories, workflow tasks with their timeouts,
// signals, updates, and the commands that our workflows use. docs/simulation.md lists what the
// model leaves out.
import type { Choices } from '../run/choices';
import type { Fibers } from '../world/fibers';
import { applyCommand, isEnd } from './commands';
import { isOpen, TEMPORAL } from './run';
import type { CompletedTask, Job, Payload, Poller, Run, Server } from './run';
import type { Start, Task, UpdateState } from './run';

/**
 * The product's `stickyQueueScheduleToStartTimeout`: after it, other workers get a task of a worker
 * that is gone.
 */
const STICKY_TIMEOUT_MS = 2_000;

export class TemporalServer implements Server {
  readonly runs: Run[] = [];
  awayUntilMs = 0;

  readonly fibers: Fibers;
  readonly choices: Choices;
  /** The worker that polls for tasks; undefined while none is up. */
  readonly poller: () => Poller | undefined;

  constructor(fibers: Fibers, choices: Choices, poller: () => Poller | undefined) {
    this.fibers = fibers;
    this.choices = choices;
    this.poller = poller;
  }

  get isAway(): boolean {
    return this.fibers.nowMs < this.awayUntilMs;
  }

  /** Whether a worker polls for tasks now. */
  get isPolled(): boolean {
    return this.poller() !== undefined && !this.isAway;
  }

  latest(workflowId: string): Run | undefined {
    return this.runs.findLast(({ start }) => start.workflowId === workflowId);
  }

  start(start: Start, isReset = false): Run {
    const { nowMs } = this.fibers;
    const run: Run = {
      runId: `run-${String(this.runs.length + 1)}`,
      ...{ start, isReset },
      startedAtMs: nowMs,
      status: 'RUNNING',
      result: null,
      events: ['WorkflowExecutionStarted'],
      buffered: [],
      completed: [],
      inbox: [],
      task: undefined,
      firstTaskAtMs: nowMs + start.startDelayMs,
      stickyTo: undefined,
      updates: new Map(),
      activities: new Map(),
      timers: new Set(),
      flags: new Set(),
      brokenTasks: [],
    };
    this.runs.push(run);
    run.inbox.push({ initializeWorkflow: {} });
    this.dispatch(run);
    return run;
  }

  /** @param wakes whether the signal comes with a start: only then it ends a start delay */
  signal(run: Run, name: string, input: readonly Payload[], wakes: boolean): void {
    if (wakes) run.firstTaskAtMs = 0;
    this.deliver(run, ['WorkflowExecutionSignaled'], {
      signalWorkflow: { signalName: name, input: [...input] },
    });
  }

  /** An equal id is the same update. */
  update(run: Run, id: string, name: string, input: readonly Payload[]): UpdateState {
    const known = run.updates.get(id);
    if (known !== undefined) return known;
    const update: UpdateState = { id, name, input, outcome: undefined };
    run.updates.set(id, update);
    run.firstTaskAtMs = 0;
    run.inbox.push(updateJob(update));
    this.dispatch(run);
    return update;
  }

  cancel(run: Run): void {
    this.deliver(run, ['WorkflowExecutionCancelRequested'], {
      cancelWorkflow: { reason: 'by an operator' },
    });
  }

  /** Closes the run with this status. */
  close(run: Run, status: Run['status'], event: string): void {
    run.status = status;
    run.events.push(event);
  }

  /**
   * As `temporal workflow reset --type FirstWorkflowTask`: starts another run with the same input,
   * signals and updates.
   */
  reset(run: Run): void {
    const seen = run.completed.flatMap(({ activations }) =>
      activations.flatMap(({ jobs }) => jobs),
    );
    const again = [...seen, ...run.inbox].filter(
      (job) => job.signalWorkflow ?? job.doUpdate ?? job.cancelWorkflow,
    );
    this.close(run, 'TERMINATED', 'WorkflowExecutionTerminated');
    const next = this.start({ ...run.start, startDelayMs: 0 }, true);
    for (const [id, update] of run.updates) next.updates.set(id, update);
    next.inbox.push(...again);
  }

  /**
   * Delivers the job with the next task. While a task is under way the server buffers the events.
   */
  deliver(run: Run, events: readonly string[], job: Job | undefined): void {
    if (!isOpen(run)) return;
    (run.task?.isStarted === true ? run.buffered : run.events).push(...events);
    if (job !== undefined) run.inbox.push(job);
    this.dispatch(run);
  }

  /** False if the task has ended already, or if new events arrived before the workflow may end. */
  completeTask(run: Run, task: Task, work: CompletedTask, isHeartbeat: boolean): boolean {
    if (!task.isOpen || !isOpen(run)) return false;
    if (run.inbox.length > 0 && work.commands.some(isEnd)) {
      this.repeatTask(run, task, 'WorkflowTaskFailed');
      return false;
    }
    this.storeTask(run, task, withoutRejected(work));
    for (const command of work.commands) applyCommand(this, run, command);
    this.endTask(run, task);
    if (isHeartbeat || run.inbox.length > 0) this.dispatch(run);
    return true;
  }

  /** Does not write a task that contains only rejected updates. */
  private storeTask(run: Run, task: Task, completed: CompletedTask): void {
    if (task.isSpeculative) {
      if (completed.commands.length + completed.activations.length === 0) return;
      run.events.push('WorkflowTaskScheduled', 'WorkflowTaskStarted');
    }
    run.completed.push(completed);
    run.events.push('WorkflowTaskCompleted');
  }

  /**
   * Records a task in which the workflow failed, and does not repeat it: that must never happen.
   */
  breakTask(run: Run, task: Task, why: string): void {
    if (!task.isOpen) return;
    this.endTask(run, task);
    run.brokenTasks.push(why);
  }

  dispatch(run: Run): void {
    if (!isOpen(run) || run.task !== undefined || run.brokenTasks.length > 0) return;
    const task: Task = { jobs: [], isOpen: true, isStarted: false, isSpeculative: false, after: 0 };
    run.task = task;
    this.fibers.spawn('hand out a workflow task', TEMPORAL, () => this.handOut(run, task));
  }

  private async handOut(run: Run, task: Task): Promise<void> {
    const { fibers } = this;
    await fibers.wait(() => fibers.nowMs >= run.firstTaskAtMs, run.firstTaskAtMs - fibers.nowMs);
    await fibers.wait(() => this.isPolled);
    const isSticky = run.stickyTo !== undefined && run.stickyTo !== this.poller()?.owner;
    if (isSticky) await fibers.sleep(STICKY_TIMEOUT_MS);
    await fibers.wait(() => this.isPolled);
    if (!isOpen(run)) return;
    this.beginTask(run, task);
    const isEnded = () => !task.isOpen || !isOpen(run);
    await fibers.wait(isEnded, run.start.taskTimeoutMs);
    if (!isEnded()) this.repeatTask(run, task, 'WorkflowTaskTimedOut');
  }

  private beginTask(run: Run, task: Task): void {
    task.jobs = inOrder(run.inbox);
    run.inbox = [];
    task.isStarted = true;
    task.after = run.completed.length;
    // A task of updates only is written after its completion, and only if one update was accepted.
    task.isSpeculative = task.jobs.every((job) => job.doUpdate);
    if (!task.isSpeculative) run.events.push('WorkflowTaskScheduled', 'WorkflowTaskStarted');
    this.poller()?.beginTask(run, task);
  }

  private repeatTask(run: Run, task: Task, event: string): void {
    if (!task.isSpeculative) run.events.push(event);
    run.stickyTo = undefined;
    run.inbox.unshift(...task.jobs);
    this.endTask(run, task);
    this.dispatch(run);
  }

  private endTask(run: Run, task: Task): void {
    task.isOpen = false;
    run.task = undefined;
    run.events.push(...run.buffered.splice(0));
  }
}

/** The order of the SDK's core: the start, signals and updates, everything else. */
function inOrder(jobs: readonly Job[]): readonly Job[] {
  const rank = (job: Job) => {
    if (job.initializeWorkflow) return 0;
    return job.signalWorkflow || job.doUpdate ? 1 : 2;
  };
  return [...jobs].sort((one, other) => rank(one) - rank(other));
}

function updateJob({ id, name, input }: UpdateState): Job {
  return {
    doUpdate: {
      id,
      protocolInstanceId: id,
      name,
      input: [...input],
      meta: { identity: 'simulated', updateId: id },
      runValidator: true,
    },
  };
}

/** Removes rejected updates from the history. Accepted ones are not validated again. */
function withoutRejected({ activations, commands }: CompletedTask): CompletedTask {
  const rejected = new Set(
    commands.flatMap(({ updateResponse }) =>
      updateResponse?.rejected ? [updateResponse.protocolInstanceId] : [],
    ),
  );
  const isAccepted = (job: Job) => !rejected.has(job.doUpdate?.protocolInstanceId ?? null);
  const replayed = ({ doUpdate, ...job }: Job): Job =>
    doUpdate ? { doUpdate: { ...doUpdate, runValidator: false } } : job;
  return {
    activations: activations
      .map(({ jobs, ...one }) => ({ ...one, jobs: jobs.filter(isAccepted).map(replayed) }))
      .filter(({ jobs }) => jobs.length > 0),
    commands: commands.filter(({ updateResponse }) => !updateResponse?.rejected),
  };
}
