// A model of the SDK's worker: workflow tasks over a cache of runs, local activities with task
// heartbeats, and activities. It can die or freeze at any step.
import {
  ApplicationFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
  ensureTemporalFailure,
} from '@temporalio/common';
import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import type { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { backoffMs, isEnd, withoutCancelledTimers } from './commands';
import { msOf } from './durations';
import { Instance } from './instance';
import { isOpen, type Activation, type Command, type Job, type Run, type Task } from './run';
import type { ActivityAttempt, ActivityOutcome, Poller } from './run';
import type { TemporalServer } from './server';

/** Activities by name; arguments and results are JSON values. */
type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** The SDK's core sends a task heartbeat after this share of the task timeout. */
const HEARTBEAT_SHARE = 0.8;

interface WorkerOptions {
  readonly owner: string;
  readonly server: TemporalServer;
  readonly creator: ReusableVMWorkflowCreator;
  readonly activities: Activities;
  /** May kill or freeze this worker: the promise then never resolves, or resolves late. */
  readonly fate: (point: string) => Promise<void>;
}

export class SimulatedWorker implements Poller {
  readonly owner: string;
  private readonly cache = new Map<string, Instance>();

  private readonly options: WorkerOptions;

  constructor(options: WorkerOptions) {
    this.options = options;
    this.owner = options.owner;
  }

  beginTask(run: Run, task: Task): void {
    const { fibers } = this.options.server;
    fibers.spawn(`workflow task of ${run.start.type}`, this.owner, () => this.doTask(run, task));
  }

  beginActivity({ type, args, number, report }: ActivityAttempt): void {
    const { fibers } = this.options.server;
    fibers.spawn(type, this.owner, async () => {
      await fibers.sleep(1);
      await this.options.fate(`${type} begins`);
      const outcome = await this.call(
        type,
        args.map((one) => defaultPayloadConverter.fromPayload(one)),
        number,
      );
      await this.options.fate(`${type} ends`);
      report(outcome);
    });
  }

  async dispose(): Promise<void> {
    for (const instance of this.cache.values()) await instance.dispose();
    this.cache.clear();
  }

  private async doTask(run: Run, task: Task): Promise<void> {
    const { server, fate } = this.options;
    const { fibers } = server;
    await fibers.sleep(1);
    const heartbeatAtMs = fibers.nowMs + run.start.taskTimeoutMs * HEARTBEAT_SHARE;
    const historyLength = run.events.length + (task.isSpeculative ? 2 : 0);
    await fate('a workflow task begins');
    try {
      const instance = await this.instanceOf(run, task);
      const work = await this.activateAll({
        run,
        instance,
        heartbeatAtMs,
        historyLength,
        jobs: task.jobs,
      });
      await fate('a workflow task ends');
      await fibers.wait(() => !server.isAway);
      const isHeartbeat = instance.locals.size > 0 && !work.commands.some(isEnd);
      if (server.completeTask(run, task, work, isHeartbeat)) {
        instance.applied = run.completed.length;
        run.stickyTo = this.owner;
        if (!isOpen(run)) await this.forget(run);
      } else await this.forget(run);
    } catch (error) {
      await this.forget(run);
      server.breakTask(run, task, error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * Continues one task until no local activity is under way, or until the task needs a heartbeat.
   */
  private async activateAll(task: {
    readonly run: Run;
    readonly instance: Instance;
    readonly heartbeatAtMs: number;
    readonly historyLength: number;
    readonly jobs: readonly Job[];
  }) {
    const { run, instance, heartbeatAtMs, historyLength } = task;
    const { fibers } = this.options.server;
    const activations: Activation[] = [];
    const commands: Command[] = [];
    let jobs = instance.wanted(task.jobs);
    for (;;) {
      while (jobs.length > 0) {
        const activation = { atMs: fibers.nowMs, historyLength, jobs };
        activations.push(activation);
        const seen = new Set(instance.locals.keys());
        const done = await instance.activate(activation, false);
        commands.push(...done.commands);
        this.beginLocals(run, instance, seen);
        jobs = done.cancelled;
      }
      const work = () => ({ activations, commands: withoutCancelledTimers(commands) });
      if (instance.locals.size === 0 || commands.some(isEnd)) return work();
      const leftMs = Math.max(0, heartbeatAtMs - fibers.nowMs);
      if (!(await fibers.wait(() => instance.results.length > 0, leftMs))) return work();
      const results = instance.results.splice(0);
      for (const { seq } of results) {
        commands.push({ scheduleLocalActivity: { seq } });
        instance.locals.delete(seq);
      }
      jobs = results.map(({ job }) => job);
    }
  }

  /** Returns the cached instance, or replays the history. */
  private async instanceOf(run: Run, { after }: Task): Promise<Instance> {
    const cached = this.cache.get(run.runId);
    if (cached?.applied === after) return cached;
    await cached?.dispose();
    const instance = await Instance.of(this.options.creator, run);
    this.cache.set(run.runId, instance);
    for (const task of run.completed.slice(0, after)) await instance.replay(task);
    this.beginLocals(run, instance, new Set());
    return instance;
  }

  private async forget({ runId }: Run): Promise<void> {
    const instance = this.cache.get(runId);
    this.cache.delete(runId);
    await instance?.dispose();
  }

  /** @param seen local activities that are already under way */
  private beginLocals(run: Run, instance: Instance, seen: ReadonlySet<number>): void {
    const { fibers } = this.options.server;
    for (const [seq, command] of instance.locals) {
      if (seen.has(seq)) continue;
      fibers.spawn(`${String(command.activityType)} of ${run.start.type}`, this.owner, async () => {
        const result = await this.callLocal(run, instance, command);
        instance.results.push({ seq, job: { resolveActivity: { seq, isLocal: true, result } } });
      });
    }
  }

  private async callLocal(
    run: Run,
    instance: Instance,
    command: NonNullable<Command['scheduleLocalActivity']>,
  ) {
    const { fibers } = this.options.server;
    const { activityType, startToCloseTimeout: timeout, retryPolicy } = command;
    const args = (command.arguments ?? []).map((one) => defaultPayloadConverter.fromPayload(one));
    for (let number = 1; ; number += 1) {
      const outcome = await this.callWithin(activityType ?? '', args, number, msOf(timeout));
      const result = resultOf(outcome, number === retryPolicy?.maximumAttempts);
      if (result !== undefined) return result;
      // Another worker repeats the activity of a run that is no longer in this cache.
      if (!isOpen(run) || this.cache.get(run.runId) !== instance) await fibers.stop();
      await fibers.sleep(backoffMs(retryPolicy, number));
    }
  }

  /** Undefined after a timeout: the call still goes on. */
  private async callWithin(
    type: string,
    args: readonly unknown[],
    number: number,
    timeoutMs: number | undefined,
  ): Promise<ActivityOutcome | undefined> {
    const { fibers } = this.options.server;
    let outcome: ActivityOutcome | undefined;
    fibers.spawn(type, this.owner, async () => {
      await fibers.sleep(1);
      await this.options.fate(`${type} begins`);
      outcome = await this.call(type, args, number);
      await this.options.fate(`${type} ends`);
    });
    await fibers.wait(() => outcome !== undefined, timeoutMs);
    return outcome;
  }

  private async call(
    type: string,
    args: readonly unknown[],
    number: number,
  ): Promise<ActivityOutcome> {
    const activity = this.options.activities[type];
    if (activity === undefined) throw new Error(`there is no activity ${type}`);
    try {
      const result = await asyncLocalStorage.run(attemptOf(number), () =>
        activity(...(args as never[])),
      );
      return { completed: defaultPayloadConverter.toPayload(result) };
    } catch (error) {
      const failure = ensureTemporalFailure(error);
      const nextRetryMs =
        failure instanceof ApplicationFailure && failure.nextRetryDelay !== undefined
          ? Number(failure.nextRetryDelay)
          : undefined;
      const failed = defaultFailureConverter.errorToFailure(failure, defaultPayloadConverter);
      return { failed, nextRetryMs };
    }
  }
}

/** Undefined when there will be another attempt. */
function resultOf(outcome: ActivityOutcome | undefined, isLast: boolean) {
  if (outcome === undefined) return isLast ? { failed: { failure: TIMED_OUT } } : undefined;
  if ('completed' in outcome) return { completed: { result: outcome.completed } };
  const { failed: failure } = outcome;
  return isLast || failure.applicationFailureInfo?.nonRetryable === true
    ? { failed: { failure } }
    : undefined;
}

const TIMED_OUT = { message: 'activity timed out', timeoutFailureInfo: { timeoutType: 1 } };

/** Contains only the parts of the activity context that the product uses. */
function attemptOf(attempt: number): Context {
  return Object.assign(Object.create(Context.prototype) as Context, { info: { attempt } as Info });
}
