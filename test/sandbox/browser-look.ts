// Runs look-at-reference.mjs, which reports the content of a page in a browser.
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface ReferenceContent {
  /** Messages of the browser: policy violations, failed scripts. */
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
  /** The number of buttons that would send something from the page. */
  readonly inputs: number;
}

export async function openReference(url: string): Promise<ReferenceContent> {
  const script = join(__dirname, 'look-at-reference.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, url]);
  return JSON.parse(stdout) as ReferenceContent;
}
