// Schemathesis sends requests that api/openapi.yaml allows and forbids: signed, without
// credentials, and with forged ones.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config/config';

const ROOT = join(__dirname, '..', '..');
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

interface RequestsContext {
  readonly python: string;
  /** Of the running system. */
  readonly directory: string;
  readonly seed: string;
  readonly baseUrl: string;
  readonly stop: AbortSignal;
}

/** @returns whether the server keeps the contract */
export async function sendRequests(context: RequestsContext): Promise<boolean> {
  const broken: string[] = [];
  for (const run of RUNS) {
    if (context.stop.aborted) return false;
    print(`\n== ${run.title}, seed ${context.seed}`);
    const result = await runSchemathesis(run, context);
    if (result !== 0) broken.push(`${run.title} (${String(result)})`);
  }
  if (broken.length === 0) {
    print(`\nThe server keeps its contract: no difference was found, seed ${context.seed}.`);
    return true;
  }
  const again = `npm run test:contract -- --part requests --seed ${context.seed}`;
  print(`\nServer and contract differ ${broken.join(', ')}: see above. Repeat with \`${again}\`.`);
  return false;
}

/**
 * Works in the system's folder, which is removed afterwards.
 * @returns the exit code, or why there is none
 */
function runSchemathesis(run: Run, context: RequestsContext): Promise<number | string> {
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
export function installSchemathesis(): string | undefined {
  const { status, stdout } = spawnSync(process.execPath, [join(__dirname, 'install.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? stdout.trim() : undefined;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
