// Reads the recorded histories, and defines which values recording removes.
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

/** Paths of the histories, relative to the folder. */
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

/** The id of the recorded workflow: a payment workflow rejects an input with another id. */
export function workflowIdOf({ events }: RecordedHistory): string {
  return events[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? 'none recorded';
}

/** `29962@a-host` and the like. */
const OF_A_PROCESS = /^\d+@/;

/** A JSON replacer that removes names and paths of machines, which a replay does not need. */
export function withoutTheMachine(key: string, value: unknown): unknown {
  const isMachineName = key === 'identity' || key === 'stackTrace';
  return isMachineName || (typeof value === 'string' && OF_A_PROCESS.test(value))
    ? 'not recorded'
    : value;
}

/** Arguments and results are base64 in a history. */
export function decodedPayloads(history: string): readonly string[] {
  const found = history.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g);
  return [...found].map(([, data]) => Buffer.from(data ?? '', 'base64').toString());
}
