// One run of a workflow as Temporal's server stores it: its history and its pending work.
import type { coresdk, temporal } from '@temporalio/proto';
import type { Fibers } from '../world/fibers';

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type Payload = temporal.api.common.v1.IPayload;
export type Failure = temporal.api.failure.v1.IFailure;

type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TERMINATED';

/** The start options that the model supports. */
export interface Start {
  readonly workflowId: string;
  readonly type: string;
  readonly taskQueue: string;
  readonly args: readonly Payload[];
  readonly memo: Readonly<Record<string, unknown>>;
  readonly startDelayMs: number;
  readonly taskTimeoutMs: number;
}

/** Jobs that the workflow received together, with the time. A replay repeats them unchanged. */
export interface Activation {
  readonly atMs: number;
  /** Number of history events with which the task was sent to the worker. */
  readonly historyLength: number;
  readonly jobs: readonly Job[];
}

/** A completed workflow task: a replay repeats it and must give the same commands. */
export interface CompletedTask {
  readonly activations: readonly Activation[];
  readonly commands: readonly Command[];
}

/** A workflow task that is not completed. */
export interface Task {
  jobs: readonly Job[];
  /** False after completion, failure or timeout: later results of a worker are ignored. */
  isOpen: boolean;
  isStarted: boolean;
  /**
   * Number of completed tasks when it began, which even a worker that froze meanwhile has to
   * replay.
   */
  after: number;
  /** True for a task that contains only updates. */
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
  /** Event types in order. */
  readonly events: string[];
  /** Events that came during a task; they are added after it. */
  readonly buffered: string[];
  readonly completed: CompletedTask[];
  /** Jobs for the next task. */
  inbox: Job[];
  task: Task | undefined;
  /** The start delay: no task before this time, unless something wakes the run. */
  firstTaskAtMs: number;
  /** The worker that has the run in its cache. */
  stickyTo: string | undefined;
  readonly updates: Map<string, UpdateState>;
  readonly activities: Map<number, PendingActivity>;
  readonly timers: Set<number>;
  /** Internal flags of the SDK that a replay must use again. */
  readonly flags: Set<number>;
  /** Reasons of failed tasks, without those of workers that died. */
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
  /** A late report is ignored. */
  report(outcome: ActivityOutcome): void;
}

export type ActivityOutcome =
  | { readonly completed: Payload }
  | { readonly failed: Failure; readonly nextRetryMs?: number | undefined };

/** The part of the server that commands act on. */
export interface Server {
  readonly fibers: Fibers;
  readonly poller: () => Poller | undefined;
  readonly isAway: boolean;
  /** Whether a worker polls for tasks now. */
  readonly isPolled: boolean;
  deliver(run: Run, events: readonly string[], job: Job | undefined): void;
  close(run: Run, status: RunStatus, event: string): void;
}
