// The client connection to Temporal. It connects lazily: the API starts, creates intents and
// answers reads while Temporal is away.
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  WorkflowNotFoundError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';

interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
}

/** A call has few attempts: every caller repeats it on its own, above all the workflow repairer. */
const RPC_ATTEMPTS = 3;
const RPC_FIRST_PAUSE_MS = 50;

export function connectTemporal({ address, namespace }: TemporalAddress): Client {
  const retry = defaultGrpcRetryOptions({
    maxAttempts: RPC_ATTEMPTS,
    initialIntervalMs: () => RPC_FIRST_PAUSE_MS,
  });
  const connection = Connection.lazy({
    address,
    connectTimeout: '5 s',
    interceptors: [makeGrpcRetryInterceptor(retry)],
  });
  return new Client({ connection, namespace });
}

/**
 * Begins to connect before the first request needs it. Never fails: while Temporal is away, a later
 * call connects.
 */
export function connectSoon(client: Client): void {
  client.connection.ensureConnected().catch(() => undefined);
}

/**
 * Backstop deadline for calls that the abort signal cannot cancel in the SDK: a retry in back-off,
 * and the next request of a call that polls. It is longer than any caller waits.
 */
const BACKSTOP_DEADLINE_MS = 60_000;

/**
 * Runs one call and settles with it, or rejects as soon as the signal is aborted. The SDK's own
 * deadline overshoots by seconds (architecture, section 3), so an aborted call is cancelled in the
 * SDK and its result is ignored here.
 * @throws Error when the signal was aborted first
 */
export async function callUntil<Result>(
  client: Client,
  signal: AbortSignal,
  call: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(new Error('stopped waiting for Temporal', { cause: signal.reason }));
    };
  });
  signal.addEventListener('abort', onAbort, { once: true });
  // eslint-disable-next-line no-restricted-properties -- gRPC measures deadlines by this clock
  const latest = Date.now() + BACKSTOP_DEADLINE_MS;
  const called = client.withAbortSignal(signal, () => client.withDeadline(latest, call));
  try {
    return await Promise.race([called, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const CALL_TIMEOUT_MS = 5_000;

/** As {@link callUntil}, with a time limit. A call that ends in time leaves no timer behind. */
export async function callWithin<Result>(
  client: Client,
  call: () => Promise<Result>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Result> {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort(new Error(`no answer within ${String(timeoutMs)} ms`));
  }, timeoutMs);
  try {
    return await callUntil(client, timeout.signal, call);
  } finally {
    clearTimeout(timer);
  }
}

/** Temporal's description of the latest run of a workflow; undefined where there is none. */
export async function describeWorkflow(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** The numbers of gRPC codes: their enumeration is in a package that we do not depend on. */
const GRPC_CODES = {
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNAVAILABLE: 14,
} as const;

/** Whether Temporal answered with one of these codes. */
export function hasGrpcCode(
  error: unknown,
  ...names: readonly (keyof typeof GRPC_CODES)[]
): boolean {
  if (!isGrpcServiceError(error)) return false;
  const code: number = error.code;
  return names.some((name) => GRPC_CODES[name] === code);
}
