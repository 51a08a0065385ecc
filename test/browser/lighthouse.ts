// Lighthouse as the tests and the benchmark of the checkout use it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { processEnvironment } from '../../src/config/config';
import { debuggingPortOf } from './chromium';

type Category = 'accessibility' | 'best-practices' | 'performance';

interface Scores {
  /** 0 to 100. */
  readonly scores: Readonly<Record<string, number>>;
  /** The audits that cost points. */
  readonly failures: readonly string[];
}

interface Audited {
  /** `snapshot`: the open page with this address. Otherwise a load of it, as on such a device. */
  readonly mode: 'snapshot' | 'mobile' | 'desktop';
  readonly url: string;
  readonly categories: readonly Category[];
}

const PROGRAM = join(__dirname, 'lighthouse-program.mjs');

/** @param browser one that is open to programs */
export async function runLighthouse(browser: Browser, audited: Audited): Promise<Scores> {
  const port = await debuggingPortOf(browser);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PROGRAM, JSON.stringify({ port, ...audited })],
    { env: processEnvironment(), timeout: 100_000 },
  );
  return JSON.parse(stdout) as Scores;
}
