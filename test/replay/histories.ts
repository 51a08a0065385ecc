// The recorded histories: where they lie, and what none of them holds.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const FOLDER = join(__dirname, 'histories');

interface RecordedEvent {
  readonly eventType: string;
  readonly workflowExecutionStartedEventAttributes?: { readonly workflowId: string };
}

export interface RecordedHistory {
  readonly events: readonly RecordedEvent[];
}

/** By their paths below the folder. */
export function historyNames(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.json'))
    .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)))
    .sort();
}

export function historyText(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

export function readHistory(name: string): RecordedHistory {
  return JSON.parse(historyText(name)) as RecordedHistory;
}

/** Of the workflow that was recorded: a payment refuses an input of another id. */
export function workflowIdOf({ events }: RecordedHistory): string {
  return events[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? 'none recorded';
}

/** `29962@a-host` and the like. */
const OF_A_PROCESS = /^\d+@/;

/** Names of machines and paths on them tell a replay nothing. */
export function withoutTheMachine(key: string, value: unknown): unknown {
  const isTold = key === 'identity' || key === 'stackTrace';
  return isTold || (typeof value === 'string' && OF_A_PROCESS.test(value)) ? 'not recorded' : value;
}

/** Arguments and results are base64 in a history. */
export function decodedPayloads(history: string): readonly string[] {
  const found = history.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g);
  return [...found].map(([, data]) => Buffer.from(data ?? '', 'base64').toString());
}
