// Source 4: Temporal's workflows and their histories.
import type { Client } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils';
import type { WorkflowFacts } from '../report/evidence';
import { mapInParallel } from './in-parallel';

/** Called with every text in a history, to search it for secrets. */
type OnText = (workflowId: string, text: string) => void;

const AT_ONCE = 16;

export async function readWorkflows(
  client: Client,
  onText: OnText,
): Promise<readonly WorkflowFacts[]> {
  const executions: Execution[] = [];
  for await (const { workflowId, runId, type, status } of client.workflow.list()) {
    executions.push({ workflowId, runId, type, status: status.name });
  }
  return mapInParallel(executions, AT_ONCE, async (execution) => {
    const { workflowId, runId } = execution;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const text of textsIn(history)) onText(workflowId, text);
    return toFacts(execution, history);
  });
}

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly status: string;
}

/**
 * WorkflowTaskFailedCause: workflow code threw an error, or the current code cannot replay the
 * history.
 */
const BROKEN_CAUSES: Readonly<Record<number, string>> = {
  14: 'the workflow threw',
  24: 'the history does not replay',
};

function toFacts({ workflowId, type, status }: Execution, history: History): WorkflowFacts {
  const events = history.events ?? [];
  return {
    ...{ workflowId, type, status },
    brokenTasks: events.flatMap(brokenTask),
    result: resultIn(events.at(-1)),
    cents: centsIn(events[0]),
  };
}

type HistoryEvent = NonNullable<History['events']>[number];

function brokenTask({
  workflowTaskFailedEventAttributes: failed,
}: HistoryEvent): readonly string[] {
  const cause = BROKEN_CAUSES[failed?.cause ?? 0];
  return cause === undefined ? [] : [`${cause}: ${failed?.failure?.message ?? 'no message'}`];
}

function resultIn(last: HistoryEvent | undefined): string | null {
  const result = valueOf(last?.workflowExecutionCompletedEventAttributes?.result);
  return typeof result === 'string' ? result : null;
}

function centsIn(first: HistoryEvent | undefined): number | null {
  const input = valueOf(first?.workflowExecutionStartedEventAttributes?.input);
  const isPayment = typeof input === 'object' && input !== null && 'amountUsdCents' in input;
  return isPayment && typeof input.amountUsdCents === 'number' ? input.amountUsdCents : null;
}

interface Payloads {
  readonly payloads?: readonly { readonly data?: Uint8Array | null }[] | null;
}

function valueOf(given: Payloads | null | undefined): unknown {
  const data = given?.payloads?.[0]?.data;
  return data === null || data === undefined ? undefined : JSON.parse(Buffer.from(data).toString());
}

/** Yields every string and every payload at any depth. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof Uint8Array) {
    yield Buffer.from(value).toString();
    return;
  }
  for (const member of Object.values(value)) yield* textsIn(member);
}
