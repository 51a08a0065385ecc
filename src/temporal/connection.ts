// The client connection to Temporal. It connects lazily: the API starts, creates intents and
// answers reads while Temporal is away.
import {
  Client,
  Connection,
  type TLSConfig,
  WorkflowNotFoundError,
  type WorkflowClientInterceptor,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import type { Log } from '../ports/observe';
import { dataConverterOf, type PayloadKey } from './payload-codec';
import { omitRefusedAttributes } from './refused-attributes';
import { retryCalls } from './rpc-retry';

/** Where Temporal is, and how to be let in. */
export interface TemporalSettings {
  /** Host and port. */
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  readonly tls?: TLSConfig | boolean;
  /** Headers of every call. */
  readonly metadata?: Record<string, string>;
  /** Keys for the payloads of workflows: the first encrypts, all decrypt. */
  readonly payloadKeys?: readonly PayloadKey[];
}

/** @param interceptors called before ours, so once for a start that is repeated */
export function connectTemporal(
  settings: TemporalSettings,
  log?: Pick<Log, 'warn'>,
  interceptors: readonly WorkflowClientInterceptor[] = [],
): Client {
  const connection = Connection.lazy({
    ...connectionOptions(settings),
    connectTimeout: '5 s',
    interceptors: [retryCalls],
  });
  return new Client({
    connection,
    namespace: settings.namespace,
    dataConverter: dataConverterOf(settings),
    interceptors: { workflow: [...interceptors, omitRefusedAttributes(log)] },
  });
}

/** The part of the settings that both kinds of connections of the SDK take. */
export function connectionOptions({ address, apiKey, tls, metadata }: TemporalSettings) {
  return {
    address,
    ...(apiKey !== undefined && { apiKey }),
    ...(tls !== undefined && { tls }),
    ...(metadata !== undefined && { metadata }),
  };
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
    onAbort = () => reject(new Error('stopped waiting for Temporal', { cause: signal.reason }));
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
