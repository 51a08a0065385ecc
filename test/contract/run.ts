// `npm run test:contract -- [--seed N]` starts the whole system on free ports. Schemathesis then
// sends requests that api/openapi.yaml allows and forbids: signed, without credentials, and with
// forged ones. Exit codes: 0 the server keeps the contract, 1 it does not or the test could not
// run, 2 the command line is invalid.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { processEnvironment } from '../../src/config';
import { npmStart } from '../support/programs/npm-start';

const ROOT = join(__dirname, '..', '..');
const DEFAULT_SEED = '20261121';
/** The longest run takes a third of this on two busy cores. */
const RUN_MAX_MS = 150_000;

interface Run {
  readonly title: string;
  /** The credentials that hooks.py adds to every request. */
  readonly credentials: 'good' | 'none' | 'forged';
  readonly phases: string;
  /** Examples per operation and phase. */
  readonly examples: number;
  /** Schemathesis warns when an operation never succeeds. The last two runs expect that. */
  readonly warnings: 'all' | 'off';
}

const RUNS: readonly Run[] = [
  {
    title: 'with good credentials',
    credentials: 'good',
    phases: 'examples,coverage,fuzzing,stateful',
    examples: 60,
    warnings: 'all',
  },
  {
    title: 'without credentials',
    credentials: 'none',
    phases: 'examples,coverage,fuzzing',
    examples: 20,
    warnings: 'off',
  },
  {
    title: 'with forged credentials',
    credentials: 'forged',
    phases: 'examples,coverage,fuzzing',
    examples: 20,
    warnings: 'off',
  },
];

async function main(): Promise<number> {
  const seed = readSeed();
  if (seed === undefined) {
    print('Invalid --seed: expected a whole number of at most 15 digits.');
    return 2;
  }
  const python = install();
  if (python === undefined) return 1;
  const directory = mkdtempSync(join(tmpdir(), 'contract-'));
  print('Starting the system on free ports.');
  const started = await npmStart(directory);
  const stop = abortOnSignals();
  try {
    if (!started.output().includes('Ready in')) {
      print(`The system did not start:\n${started.output()}`);
      return 1;
    }
    return await runAll({ python, directory, seed, baseUrl: started.sandbox().base_url, stop });
  } finally {
    await started.interrupt();
    rmSync(directory, { recursive: true, force: true });
  }
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

interface Context {
  readonly python: string;
  readonly directory: string;
  readonly seed: string;
  readonly baseUrl: string;
  readonly stop: AbortSignal;
}

async function runAll(context: Context): Promise<number> {
  const broken: string[] = [];
  for (const run of RUNS) {
    if (context.stop.aborted) return 1;
    print(`\n== ${run.title}, seed ${context.seed}`);
    const result = await runSchemathesis(run, context);
    if (result !== 0) broken.push(`${run.title} (${String(result)})`);
  }
  if (broken.length === 0) {
    print(`\nThe server keeps its contract: no difference was found, seed ${context.seed}.`);
    return 0;
  }
  const again = `npm run test:contract -- --seed ${context.seed}`;
  print(`\nServer and contract differ ${broken.join(', ')}: see above. Repeat with \`${again}\`.`);
  return 1;
}

/**
 * Works in the system's folder, which is removed afterwards.
 * @returns the exit code, or why there is none
 */
function runSchemathesis(run: Run, context: Context): Promise<number | string> {
  const { python, directory, seed, baseUrl, stop } = context;
  const { phases, examples, warnings } = run;
  const here = join(ROOT, 'test', 'contract');
  const args = [
    ...['-m', 'schemathesis.cli', '--config-file', join(here, 'schemathesis.toml'), 'run'],
    ...[join(ROOT, 'api', 'openapi.yaml'), '--url', baseUrl, '--seed', seed, '--phases', phases],
    ...['--max-examples', String(examples), ...(warnings === 'off' ? ['--warnings', 'off'] : [])],
  ];
  const env = {
    ...processEnvironment(),
    PYTHONPATH: here,
    PYTHONDONTWRITEBYTECODE: '1',
    CONTRACT_CREDENTIALS: run.credentials,
    CONTRACT_SANDBOX_FILE: join(directory, 'sandbox.json'),
    CONTRACT_CODES_FILE: join(ROOT, 'test', 'vectors', 'qr-payloads.json'),
  };
  return new Promise((resolve) => {
    const limits = { timeout: RUN_MAX_MS, killSignal: 'SIGKILL', signal: stop } as const;
    const child = spawn(python, args, { cwd: directory, env, stdio: 'inherit', ...limits });
    child.once('error', ({ message }) => {
      resolve(message);
    });
    child.once('exit', (code, signal) => {
      resolve(code ?? `ended by ${String(signal)}; its limit is ${String(RUN_MAX_MS / 1_000)} s`);
    });
  });
}

/**
 * @returns the Python interpreter with schemathesis, or undefined when install.mjs has printed why
 * there is none
 */
function install(): string | undefined {
  const { status, stdout } = spawnSync(process.execPath, [join(__dirname, 'install.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? stdout.trim() : undefined;
}

function readSeed(): string | undefined {
  try {
    const { values } = parseArgs({ options: { seed: { type: 'string', default: DEFAULT_SEED } } });
    return /^\d{1,15}$/.test(values.seed) ? values.seed : undefined;
  } catch {
    return undefined;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main()
  .then((code) => {
    process.exitCode = code;
  })
  .catch((error: unknown) => {
    print(
      `The contract could not be tested: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
  });
