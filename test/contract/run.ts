// `npm run test:contract -- [--seed N]`: starts the whole system on free ports and has schemathesis ask it whatever
// api/openapi.yaml allows and forbids: signed, without credentials, and with forged ones. Exit codes: 0 the contract was kept,
// 1 it was not, or nothing could be asked, 2 wrong command line.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { processEnvironment } from '../../src/config';
import { npmStart } from '../support/programs/npm-start';

const ROOT = join(__dirname, '..', '..');
const DEFAULT_SEED = '20261121';
/** The longest run takes a third of it on two busy cores. */
const RUN_MAX_MS = 150_000;

interface Run {
  readonly title: string;
  /** What hooks.py puts on every request. */
  readonly credentials: 'good' | 'none' | 'forged';
  readonly phases: string;
  /** Per operation and phase. */
  readonly examples: number;
  /** schemathesis warns when an operation never succeeds, which is the point of the last two. */
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
    say('--seed takes a whole number.');
    return 2;
  }
  const python = install();
  if (python === undefined) return 1;
  const directory = mkdtempSync(join(tmpdir(), 'contract-'));
  say('Starting the system on free ports.');
  const started = await npmStart(directory);
  const stop = abortOnSignals();
  try {
    if (!started.output().includes('Ready in')) {
      say(`The system did not start:\n${started.output()}`);
      return 1;
    }
    return await askAll({ python, directory, seed, baseUrl: started.sandbox().base_url, stop });
  } finally {
    await started.interrupt();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Whoever is told to end takes the system down first. */
function abortOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop.abort();
    });
  }
  return stop.signal;
}

interface Asking {
  readonly python: string;
  readonly directory: string;
  readonly seed: string;
  readonly baseUrl: string;
  readonly stop: AbortSignal;
}

async function askAll(asking: Asking): Promise<number> {
  const broken: string[] = [];
  for (const run of RUNS) {
    if (asking.stop.aborted) return 1;
    say(`\n== ${run.title}, seed ${asking.seed}`);
    const end = await ask(run, asking);
    if (end !== 0) broken.push(`${run.title} (${String(end)})`);
  }
  if (broken.length === 0) {
    say(`\nThe server keeps its contract: nothing was found, seed ${asking.seed}.`);
    return 0;
  }
  const again = `npm run test:contract -- --seed ${asking.seed}`;
  say(`\nServer and contract disagree ${broken.join(', ')}: see above. Repeat with \`${again}\`.`);
  return 1;
}

/** Its exit code, or why there is none. It works in the system's folder, where whatever it leaves is removed. */
function ask(run: Run, asking: Asking): Promise<number | string> {
  const { python, directory, seed, baseUrl, stop } = asking;
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
      resolve(code ?? `ended by ${String(signal)}; it has ${String(RUN_MAX_MS / 1_000)} s`);
    });
  });
}

/** The interpreter of the environment with schemathesis; undefined when install.mjs has said why there is none. */
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

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main()
  .then((code) => {
    process.exitCode = code;
  })
  .catch((error: unknown) => {
    say(
      `The contract could not be tested: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
  });
