// `npm run test:contract` checks api/openapi.yaml: linters read it, Schemathesis holds the running
// system to it, and generated clients in four languages make a signed call. `--part` runs one of
// the three: linters, requests, generators. Exit codes: 0 all right, 1 a check fails or could not
// run, 2 the command line is invalid.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { processEnvironment } from '../../src/config/config';
import { createTerminal } from '../../src/dev/terminal';
import { GENERATOR_TOOLS, missingTools } from '../guide/tools';
import { npmStart, type NpmStart } from '../support/programs/npm-start';
import { tryGenerators } from './generators/generators';
import { lintContract } from './linters/lint';
import { installSchemathesis, sendRequests } from './schemathesis';

const DEFAULT_SEED = '20261121';
const PARTS = ['linters', 'requests', 'generators'] as const;

type Part = (typeof PARTS)[number];

interface Options {
  readonly seed: string;
  readonly parts: readonly Part[];
}

const terminal = createTerminal({ output: process.stdout, isColoured: false });

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    terminal.complain(
      'Invalid command line: expected [--seed N] [--part NAME]. N is a whole number',
    );
    terminal.complain(`of at most 15 digits, and NAME is one of ${PARTS.join(', ')}.`);
    return 2;
  }
  const { parts } = options;
  if (parts.includes('generators') && !(await hasTools())) return 1;
  const isClean = !parts.includes('linters') || (await lint());
  const isKept = parts.every((part) => part === 'linters') || (await runSystem(options));
  return isClean && isKept ? 0 : 1;
}

async function hasTools(): Promise<boolean> {
  const missing = await missingTools(processEnvironment(), GENERATOR_TOOLS);
  for (const sentence of missing) terminal.complain(sentence);
  return missing.length === 0;
}

async function lint(): Promise<boolean> {
  const found = await terminal.step('linters', lintContract);
  for (const finding of found) terminal.complain(finding);
  if (found.length === 0) terminal.line('  Redocly and Spectral find nothing in the contract.');
  return found.length === 0;
}

async function runSystem(options: Options): Promise<boolean> {
  const python = options.parts.includes('requests') ? installSchemathesis() : '';
  if (python === undefined) return false;
  const directory = mkdtempSync(join(tmpdir(), 'contract-'));
  const stop = abortOnSignals();
  const started = await terminal.step('the system on free ports', () => npmStart(directory));
  try {
    if (!started.output().includes('Ready in')) {
      terminal.complain(`The system did not start:\n${started.output()}`);
      return false;
    }
    return await runParts(options, { started, python, stop });
  } finally {
    await started.interrupt();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Running {
  readonly started: NpmStart;
  /** The interpreter with Schemathesis. */
  readonly python: string;
  readonly stop: AbortSignal;
}

/** Runs all parts, so that one run reports every fault. */
async function runParts({ parts, seed }: Options, running: Running): Promise<boolean> {
  const { started, python, stop } = running;
  const { directory } = started;
  const sandbox = started.sandbox();
  const baseUrl = sandbox.base_url;
  const isUsable =
    !parts.includes('generators') || (await tryGenerators({ sandbox, terminal, stop }));
  const isKept =
    !parts.includes('requests') || (await sendRequests({ python, directory, seed, baseUrl, stop }));
  return isUsable && isKept;
}

/**
 * @returns a signal that aborts on Ctrl-C, so that the system is stopped before this process exits
 */
function abortOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop.abort();
    });
  }
  return stop.signal;
}

function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: { seed: { type: 'string', default: DEFAULT_SEED }, part: { type: 'string' } },
    });
    const parts = PARTS.filter((part) => values.part === undefined || values.part === part);
    return /^\d{1,15}$/.test(values.seed) && parts.length > 0
      ? { seed: values.seed, parts }
      : undefined;
  } catch {
    return undefined;
  }
}

main()
  .then((code) => {
    process.exitCode = code;
  })
  .catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.complain(`The contract could not be tested: ${reason}`);
    process.exitCode = 1;
  });
