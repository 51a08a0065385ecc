// Starts a program of src/main as a separate process, without the environment of this one.
import { ofOneProvider } from '../../../src/config/providers';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, RUN_TYPESCRIPT } from '../../../src/dev/tools';
import { INSTALLATION_KEY, KEY_ENCRYPTION_KEY } from '../builders';

export interface OwnProgram {
  /** The log on stdout so far. */
  log(): string;
  isOver(): boolean;
  readonly ended: Promise<Ended>;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
}

export interface Ended {
  /** Null after a kill. */
  readonly code: number | null;
  readonly stderr: string;
}

/** An address without a server. */
const NOWHERE = '127.0.0.1:9';
const TOKEN = 'x'.repeat(16);
const SETTINGS = {
  ...{ PATH: '/usr/bin:/bin', SERVICE_ENV: 'sandbox', PORT: '0', METRICS_PORT: '0' },
  KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
  INSTALLATION_KEY: INSTALLATION_KEY.toString('base64'),
  TEMPORAL_ADDRESS: NOWHERE,
};

/**
 * @param env added to the settings that every program needs; by default Temporal and provider are
 *   not reachable
 */
export function startProgram(name: string, env: Readonly<Record<string, string>>): OwnProgram {
  const script = join(ROOT, `src/main/${name}.ts`);
  const provider = `${env['SERVICE_ENV'] === 'prod' ? 'https' : 'http'}://${NOWHERE}`;
  const child = spawn(process.execPath, [...RUN_TYPESCRIPT, script], {
    cwd: ROOT,
    env: {
      ...SETTINGS,
      ...ofOneProvider(provider, TOKEN),
      ...(name === 'worker' && storedBundle()),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stderr }));
  return {
    log: () => stdout,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    ended,
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A worker that finds no bundle of an earlier test file makes one, which takes some seconds. */
function storedBundle(): { readonly WORKFLOW_BUNDLE?: string } {
  const bundle = join(process.env['TEST_RUN_FOLDER'] ?? '', 'workflows.js');
  return existsSync(bundle) ? { WORKFLOW_BUNDLE: bundle } : {};
}
