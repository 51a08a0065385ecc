// Files of the local folder: readable by their owner only, and never half written.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/**
 * Writes a scratch file and renames it, so that a reader finds either the old content or the new.
 */
export function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const scratch = `${path}.${randomBytes(4).toString('hex')}.part`;
  writeFileSync(scratch, text, { mode: OWNER_ONLY });
  renameSync(scratch, path);
}

export function writePrivateJson(path: string, value: unknown): void {
  writePrivateFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** The parsed content, or undefined when the file is missing or not JSON. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readText(path));
  } catch {
    return undefined;
  }
}

/** Empty when the file cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
