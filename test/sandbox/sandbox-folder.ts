// A folder of the test's own, and a log that keeps what it is told.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../src/ports/log';

export async function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'sandbox-test-'));
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

export interface KeptLog extends Log {
  readonly messages: string[];
}

export function keptLog(): KeptLog {
  const messages: string[] = [];
  const keep = (_: unknown, message: string) => void messages.push(message);
  return { messages, info: keep, warn: keep, error: keep };
}
