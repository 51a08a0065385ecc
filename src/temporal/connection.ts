// The client connection to Temporal. Lazy: the API starts, creates intents and answers reads while Temporal is away.
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

/** A call is repeated briefly and then given up: every caller has a repeat of its own, the reconciler above all. */
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

/** Connects before the first request needs it. Never fails: while Temporal is away, a later call connects. */
export function connectSoon(client: Client): void {
  client.connection.ensureConnected().catch(() => undefined);
}

/**
 * What the signal does not reach, for the SDK forgets it there, ends by then: a repeat that was in its pause when it was aborted, and
 * the next request of a call that polls. Longer than anybody waits.
 */
const LEFT_BEHIND_MAX_MS = 60_000;

/**
 * Runs one call and comes back when it does, or when the signal is aborted, whichever is first. The SDK's own deadline
 * overshoots by seconds (architecture, section 3), so what it leaves behind is ignored here and cancelled there.
 * @throws Error when it was aborted first
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
      reject(new Error('given up waiting for Temporal', { cause: signal.reason }));
    };
  });
  signal.addEventListener('abort', onAbort, { once: true });
  // eslint-disable-next-line no-restricted-properties -- gRPC measures a deadline by this clock, whatever time it tells
  const latest = Date.now() + LEFT_BEHIND_MAX_MS;
  const called = client.withAbortSignal(signal, () => client.withDeadline(latest, call));
  try {
    return await Promise.race([called, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const CALL_TIMEOUT_MS = 5_000;

/** As above, for so long. A call that ends in time leaves no timer behind that would fire for nobody. */
export async function callWithin<Result>(
  client: Client,
  call: () => Promise<Result>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Result> {
  const over = new AbortController();
  const timer = setTimeout(() => {
    over.abort(new Error(`no answer within ${String(timeoutMs)} ms`));
  }, timeoutMs);
  try {
    return await callUntil(client, over.signal, call);
  } finally {
    clearTimeout(timer);
  }
}

/** What Temporal knows of the latest run of a workflow; undefined where it knows of none. */
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

/** By their numbers: the enumeration lives in a package that is not ours to depend on. */
const GRPC_CODES = {
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNAVAILABLE: 14,
} as const;

/** Whether Temporal answered with one of these. */
export function hasGrpcCode(
  error: unknown,
  ...names: readonly (keyof typeof GRPC_CODES)[]
): boolean {
  if (!isGrpcServiceError(error)) return false;
  const code: number = error.code;
  return names.some((name) => GRPC_CODES[name] === code);
}
