// What look-at-reference.mjs saw on a page.
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Look {
  /** Of the browser: broken policies, scripts that failed. */
  readonly complaints: readonly string[];
  /** Requests to any other origin. */
  readonly elsewhere: readonly string[];
  readonly failed: readonly string[];
  readonly title: string;
  readonly operations: readonly string[];
  readonly openOperations: number;
  readonly schemes: readonly string[];
  readonly schemeText: string;
  readonly statuses: readonly string[];
  readonly schemas: readonly string[];
  /** Ways to send something from the page. */
  readonly inputs: number;
}

export async function lookAt(url: string): Promise<Look> {
  const script = join(__dirname, 'look-at-reference.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, url]);
  return JSON.parse(stdout) as Look;
}
