// The part of the SDK's client that the product uses, over the model of the server. Each call or
// its answer may get lost.
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import {
  defaultFailureConverter,
  defaultPayloadConverter,
  type Duration,
} from '@temporalio/common';
import { msToNumber, msToTs } from '@temporalio/common/lib/time';
import { isOpen, TEMPORAL, type Payload, type Run, type Start } from './run';
import type { TemporalServer } from './server';

interface StartOptions {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args?: readonly unknown[];
  readonly memo?: Readonly<Record<string, unknown>>;
  readonly startDelay?: number;
  readonly workflowTaskTimeout?: Duration;
  readonly workflowIdReusePolicy?: string;
  readonly workflowIdConflictPolicy?: string;
  readonly signal?: { readonly name: string };
  readonly signalArgs?: readonly unknown[];
}

interface Named {
  readonly name: string;
}

interface StartUpdate extends UpdateOptions {
  readonly startWorkflowOperation: {
    readonly workflowTypeOrFunc: string;
    readonly options: StartOptions;
  };
}

interface UpdateOptions {
  readonly updateId: string;
  readonly args?: readonly unknown[];
}

/** `payctl` waits longest, for a manual resolution. The API has its own shorter timeout. */
const UPDATE_WAIT_MS = 45_000;

export function createSimulatedClient(server: TemporalServer): Client {
  const calls = new SimulatedCalls(server);
  const workflow = {
    start: (type: string, options: StartOptions) =>
      calls.make('start', () => calls.start(type, options)),
    signalWithStart: (type: string, options: StartOptions) =>
      calls.make('signal with start', () => calls.signalWithStart(type, options)),
    executeUpdateWithStart: (
      definition: Named,
      { startWorkflowOperation, ...options }: StartUpdate,
    ) => calls.update(definition.name, options, () => calls.startIfNone(startWorkflowOperation)),
    getHandle: (workflowId: string) => ({
      executeUpdate: (definition: Named, options: UpdateOptions) =>
        calls.update(definition.name, options, () => calls.openRun(workflowId)),
      describe: () => calls.make('describe', () => calls.describe(workflowId)),
    }),
  };
  return {
    workflow,
    workflowService: { describeNamespace: () => calls.make('describe namespace', retention) },
    options: { namespace: 'default' },
    withAbortSignal: <Result>(_signal: AbortSignal, call: () => Result) => call(),
    withDeadline: <Result>(_deadline: number, call: () => Result) => call(),
  } as unknown as Client;
}

/** Nothing is ever deleted. */
function retention() {
  return { config: { workflowExecutionRetentionTtl: msToTs('30 days') } };
}

class SimulatedCalls {
  private readonly server: TemporalServer;

  constructor(server: TemporalServer) {
    this.server = server;
  }

  async make<Result>(what: string, effect: () => Result): Promise<Result> {
    const { fibers, choices } = this.server;
    await fibers.sleep(1);
    if (this.server.isAway) throw unavailable();
    const fate = choices.fault(`Temporal: ${what}`, [
      '',
      'the call is lost',
      'its answer is lost',
      'Temporal is away for 20 s',
    ]);
    if (fate === 'the call is lost') throw unavailable();
    if (fate === 'Temporal is away for 20 s') {
      this.server.awayUntilMs = fibers.nowMs + 20_000;
      // Time alone does not wake the fibers that wait for Temporal.
      fibers.spawnAt(this.server.awayUntilMs, 'Temporal is back', TEMPORAL, () =>
        Promise.resolve(),
      );
      throw unavailable();
    }
    const result = effect();
    await fibers.sleep(1);
    if (fate === 'its answer is lost') throw unavailable();
    return result;
  }

  start(type: string, options: StartOptions): { readonly workflowId: string } {
    const {
      workflowId,
      workflowIdReusePolicy: reuse,
      workflowIdConflictPolicy: conflict,
    } = options;
    const known = this.server.latest(workflowId);
    if (known !== undefined && isOpen(known)) {
      if (conflict === 'USE_EXISTING') return { workflowId };
      if (conflict !== 'TERMINATE_EXISTING') throw alreadyStarted(workflowId, type);
      this.server.close(known, 'TERMINATED', 'WorkflowExecutionTerminated');
    } else if (known !== undefined && isRejected(known, reuse))
      throw alreadyStarted(workflowId, type);
    this.server.start(startOf(type, options));
    return { workflowId };
  }

  signalWithStart(type: string, options: StartOptions): void {
    const { workflowId, workflowIdReusePolicy: reuse, signal, signalArgs = [] } = options;
    let run = this.server.latest(workflowId);
    if (run === undefined || !isOpen(run)) {
      if (run !== undefined && isRejected(run, reuse)) throw alreadyStarted(workflowId, type);
      run = this.server.start(startOf(type, options));
    }
    this.server.signal(run, signal?.name ?? '', payloadsOf(signalArgs), true);
  }

  openRun(workflowId: string): Run {
    const run = this.server.latest(workflowId);
    if (run === undefined || !isOpen(run)) throw notFound(workflowId);
    return run;
  }

  startIfNone({ workflowTypeOrFunc: type, options }: StartUpdate['startWorkflowOperation']): Run {
    this.start(type, options);
    return this.openRun(options.workflowId);
  }

  async update(name: string, { updateId, args = [] }: UpdateOptions, runOf: () => Run) {
    const { run, update } = await this.make(`update ${name}`, () => {
      const open = runOf();
      return { run: open, update: this.server.update(open, updateId, name, payloadsOf(args)) };
    });
    const isOver = () => update.outcome !== undefined || !isOpen(run);
    if (!(await this.server.fibers.wait(isOver, UPDATE_WAIT_MS))) throw unavailable();
    const { outcome } = update;
    if (outcome === undefined) throw notFound(run.start.workflowId);
    if ('completed' in outcome) return defaultPayloadConverter.fromPayload(outcome.completed);
    throw new WorkflowUpdateFailedError(
      'Workflow Update failed',
      defaultFailureConverter.failureToError(outcome.failed, defaultPayloadConverter),
    );
  }

  describe(workflowId: string) {
    const run = this.server.latest(workflowId);
    if (run === undefined) throw notFound(workflowId);
    return {
      status: { name: run.status },
      historyLength: run.events.length,
      memo: run.start.memo,
    };
  }
}

function isRejected({ status }: Run, reuse: string | undefined): boolean {
  if (reuse === 'REJECT_DUPLICATE') return true;
  return reuse === 'ALLOW_DUPLICATE_FAILED_ONLY' && status === 'COMPLETED';
}

function startOf(type: string, options: StartOptions): Start {
  const { workflowId, taskQueue, args = [], memo = {}, startDelay = 0 } = options;
  return {
    ...{ workflowId, type, taskQueue, memo },
    args: payloadsOf(args),
    startDelayMs: startDelay,
    taskTimeoutMs: msToNumber(options.workflowTaskTimeout ?? '10 s'),
  };
}

function payloadsOf(values: readonly unknown[]): readonly Payload[] {
  return values.map((value) => defaultPayloadConverter.toPayload(value));
}

function alreadyStarted(workflowId: string, type: string): Error {
  return new WorkflowExecutionAlreadyStartedError('already started', workflowId, type);
}

function notFound(workflowId: string): Error {
  return new WorkflowNotFoundError('workflow execution not found', workflowId, undefined);
}

/** The gRPC error for an unavailable server or a lost call. */
function unavailable(): Error {
  return Object.assign(new Error('14 UNAVAILABLE: simulated'), {
    code: 14,
    details: 'simulated',
    metadata: {},
  });
}
