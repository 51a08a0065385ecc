// A temporary folder for one test, and a log that records its messages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../src/ports/observe';

export async function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'sandbox-test-'));
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

export interface RecordingLog extends Log {
  readonly messages: string[];
}

export function recordingLog(): RecordingLog {
  const messages: string[] = [];
  const record = (_: unknown, message: string) => void messages.push(message);
  return { messages, info: record, warn: record, error: record };
}
