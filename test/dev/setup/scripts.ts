// Tiny real programs for the tests of the local stack: shell scripts in a folder that a test puts
// on its PATH.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Creates a temporary folder and removes it when the work is done. */
export async function withFolder<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-dev-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function writeScript(path: string, ...lines: readonly string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  const text = ['#!/bin/sh', ...lines, ''].join('\n');
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return text;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
