// One execution of a workflow as Temporal's server keeps it: its history, and what it waits for.
import type { coresdk, temporal } from '@temporalio/proto';
import type { Fibers } from '../world/fibers';

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type Payload = temporal.api.common.v1.IPayload;
export type Failure = temporal.api.failure.v1.IFailure;

export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TERMINATED';

/** What a workflow is started with, of which the model knows these. */
export interface Start {
  readonly workflowId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly args: readonly Payload[];
  readonly memo: Readonly<Record<string, unknown>>;
  readonly startDelayMs: number;
  readonly taskTimeoutMs: number;
}

/** What was given to the workflow at once, and when. The jobs are replayed as they were. */
export interface Activation {
  readonly atMs: number;
  /** Events of the history that the task was handed out with. */
  readonly historyLength: number;
  readonly jobs: readonly Job[];
}

/** A workflow task that was completed: a replay repeats it, and has to come to the same commands. */
export interface CompletedTask {
  readonly activations: readonly Activation[];
  readonly commands: readonly Command[];
}

/** A workflow task that was handed out and is not completed. */
export interface Task {
  jobs: readonly Job[];
  /** False once it was completed, failed, or has timed out: then what a worker says of it comes too late. */
  isOpen: boolean;
  isStarted: boolean;
  /** How many tasks the history had when it was handed out: what a worker makes of it, also one that was frozen meanwhile. */
  after: number;
  /** For updates alone. */
  isSpeculative: boolean;
}

export interface UpdateState {
  readonly id: string;
  readonly name: string;
  readonly input: readonly Payload[];
  outcome: { readonly completed: Payload } | { readonly failed: Failure } | undefined;
}

export interface PendingActivity {
  readonly seq: number;
  readonly type: string;
  isOpen: boolean;
}

export interface Run {
  readonly runId: string;
  readonly start: Start;
  readonly isReset: boolean;
  readonly startedAtMs: number;
  status: RunStatus;
  result: unknown;
  /** Types of events, in their order. */
  readonly events: string[];
  /** Events that came while a task was under way, which follow it. */
  readonly kept: string[];
  readonly completed: CompletedTask[];
  /** Not yet given to a task. */
  inbox: Job[];
  task: Task | undefined;
  /** No task before then, unless something wakes it. */
  firstTaskAtMs: number;
  /** The worker that has it in its cache. */
  stickyTo: string | undefined;
  readonly updates: Map<string, UpdateState>;
  readonly activities: Map<number, PendingActivity>;
  readonly timers: Set<number>;
  /** What the SDK has decided by while it ran, and has to decide by when it is replayed. */
  readonly flags: Set<number>;
  /** Why tasks of it failed, other than by a worker that died. */
  readonly brokenTasks: string[];
}

export function isOpen({ status }: Run): boolean {
  return status === 'RUNNING';
}

export const TEMPORAL = 'temporal';

/** A worker process, as the server sees it. */
export interface Poller {
  readonly owner: string;
  beginTask(run: Run, task: Task): void;
  beginActivity(attempt: ActivityAttempt): void;
}

export interface ActivityAttempt {
  readonly type: string;
  readonly args: readonly Payload[];
  /** From 1. */
  readonly number: number;
  /** May come too late, and is then ignored. */
  report(outcome: ActivityOutcome): void;
}

export type ActivityOutcome =
  | { readonly completed: Payload }
  | { readonly failed: Failure; readonly nextRetryMs?: number | undefined };

/** What commands do something to. */
export interface Server {
  readonly fibers: Fibers;
  readonly poller: () => Poller | undefined;
  readonly isAway: boolean;
  /** Whether somebody would take what is handed out now. */
  readonly isPolled: boolean;
  deliver(run: Run, events: readonly string[], job: Job | undefined): void;
  close(run: Run, status: RunStatus, event: string): void;
}
