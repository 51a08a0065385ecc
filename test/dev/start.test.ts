// `npm start` as a whole (architecture, section 7): up with a payment captured, restarts what is killed, knows that it
// runs, and leaves no process behind. One system serves all of these, since each start takes seconds.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config';
import { identify } from '../../src/dev/process-identity';
import { readSandboxFile, type Sandbox } from '../../src/dev/sandbox-file';
import { ROOT } from '../../src/dev/tools';
import { until } from '../../src/dev/until';
import { createDatabase } from '../../src/postgres/database';
import type { Intent } from '../../src/sdk';
import { createSandboxPayer } from '../support/sandbox-payer';

const ANY_PORT = {
  PORT: '0',
  METRICS_PORT: '0',
  PROVIDER_PORT: '0',
  PARTNER_PORT: '0',
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
  POSTGRES_PORT: '0',
  WORKER_METRICS_PORT: '0',
};
/** `npm start` reads neither: they are the API's (docs/configuration.md). */
const FOR_THE_API = { INTENT_TTL_SECONDS: '600', CONFIRM_WAIT_MS: '0' };
/** Pending at the provider for three seconds, which a confirm that waits as long as it may waits for. */
const PENDING_USD_CENTS = 40_004;
const START_WITHIN_MS = 90_000;
const RESTART_WITHIN_MS = 30_000;
/** A start, and what a test does besides, on two busy cores. */
const TEST_WITHIN_MS = 120_000;

interface Start {
  readonly child: ChildProcess;
  readonly printed: () => string;
}

describe('npm start', () => {
  const directory = mkdtempSync(join(tmpdir(), 'payment-intents-start-'));
  let current: Start | undefined;

  beforeAll(async () => {
    chmodSync(directory, 0o711);
    current = await startAndWait(directory);
  }, TEST_WITHIN_MS);

  afterAll(async () => {
    await end(current, 'SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  }, TEST_WITHIN_MS);

  it('narrates one payment from created to a verified webhook', () => {
    const told = ['created', 'token minted', 'confirmed', 'debited', 'paid out', 'captured'];
    const steps = [...told, 'webhook verified'].map((step) => `✓ ${step} +[\\d.]+ m?s`);
    expect(current?.printed()).toMatch(new RegExp(steps.join('[^]*')));
  });

  it('writes a private sandbox.json that names the processes themselves', () => {
    const { processes, partners, base_url } = sandboxIn(directory);
    expect(processes.map(({ name }) => name)).toEqual([
      ...['api', 'worker', 'sandbox', 'temporal', 'postgres'],
    ]);
    expect(processes.every(({ pid }) => identify(pid) !== undefined)).toBe(true);
    expect(partners.map(({ partner_id }) => partner_id)).toEqual(['siam-travel', 'saigon-rides']);
    expect(base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(statSync(join(directory, 'sandbox.json')).mode & 0o777).toBe(0o600);
  });

  it('hands on to the API how long an intent lives, and how long a confirm waits', async () => {
    const sandbox = sandboxIn(directory);
    const [partner] = sandbox.partners;
    if (partner === undefined) throw new Error('two partners are onboarded');
    const { create, mint, confirm } = createSandboxPayer(sandbox, partner);
    const intent = await create(PENDING_USD_CENTS);
    await expect(secondsToLive(sandbox, intent)).resolves.toBe(600);
    const reply = await confirm(intent, await mint(intent));
    await expect(reply.json()).resolves.toMatchObject({ status: 'authorized' });
  });

  it(
    'says so and gives the addresses when it runs already',
    async () => {
      const second = start(directory);
      const [code] = (await once(second.child, 'exit')) as [number | null];
      expect(code).toBe(0);
      expect(second.printed()).toContain('is running here already');
      expect(second.printed()).toContain(sandboxIn(directory).base_url);
      expect(workerMetricsOf(second)).toBe(workerMetricsOf(current));
    },
    TEST_WITHIN_MS,
  );

  it.each(['worker', 'api', 'postgres'])(
    'starts a killed %s again, with its new pid',
    async (name) => {
      const killed = pidOf(directory, name);
      process.kill(killed, 'SIGKILL');
      const isBack = () => current?.printed().includes(`${name} ended (SIGKILL)`) ?? false;
      await expect(until(isBack, { timeoutMs: RESTART_WITHIN_MS })).resolves.toBe(true);
      expect(pidOf(directory, name)).not.toBe(killed);
      expect(identify(pidOf(directory, name))).toBeDefined();
    },
  );

  it('serves the metrics of API and worker where it says, also of a worker that was started again', async () => {
    const api = await fetch(sandboxIn(directory).metrics_url);
    await expect(api.text()).resolves.toContain('# TYPE http_request_duration_seconds ');
    const worker = await fetch(workerMetricsOf(current));
    await expect(worker.text()).resolves.toContain('# TYPE holding_low_usd_cents ');
  });

  it(
    'ends what a start that was killed has left, and keeps its data, keys and ports',
    async () => {
      const before = sandboxIn(directory);
      const workerMetrics = workerMetricsOf(current);
      await end(current, 'SIGKILL');
      current = await startAndWait(directory);
      const after = sandboxIn(directory);
      expect(current.printed()).toContain('ended what a killed start had left');
      expect(before.processes.map(({ pid }) => identify(pid))).toEqual(Array(5).fill(undefined));
      expect({ ...after, processes: [] }).toEqual({ ...before, processes: [] });
      expect(workerMetricsOf(current)).toBe(workerMetrics);
    },
    TEST_WITHIN_MS,
  );

  it(
    'leaves no process behind when its terminal is closed',
    async () => {
      const { processes } = sandboxIn(directory);
      // Nobody takes what it prints any more.
      current?.child.stdout?.destroy();
      current?.child.stderr?.destroy();
      await end(current, 'SIGHUP');
      expect(current?.child.exitCode).toBe(0);
      expect(processes.map(({ pid }) => identify(pid))).toEqual(Array(5).fill(undefined));
      expect(readSandboxFile(directory)).toBeUndefined();
    },
    TEST_WITHIN_MS,
  );
});

function start(directory: string): Start {
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'src/dev/start.ts'], {
    cwd: ROOT,
    env: {
      ...processEnvironment(),
      ...ANY_PORT,
      ...FOR_THE_API,
      LOCAL_DIR: directory,
      TEMPORAL_ADDRESS: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const keep = (chunk: Buffer) => (text += chunk.toString('utf8'));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return { child, printed: () => text };
}

async function startAndWait(directory: string): Promise<Start> {
  const started = start(directory);
  const isOver = () => started.printed().includes('Ready in') || hasEnded(started.child);
  await until(isOver, { timeoutMs: START_WITHIN_MS });
  if (started.printed().includes('Ready in')) return started;
  await end(started, 'SIGTERM');
  throw new Error(`npm start did not come up:\n${started.printed()}`);
}

async function end(started: Start | undefined, signal: NodeJS.Signals): Promise<void> {
  if (started === undefined || hasEnded(started.child)) return;
  const ended = once(started.child, 'exit');
  started.child.kill(signal);
  await ended;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function sandboxIn(directory: string): Sandbox {
  const sandbox = readSandboxFile(directory);
  if (sandbox === undefined) throw new Error('there is no sandbox.json');
  return sandbox;
}

/** The API tells nobody when an intent expires; its row does. */
async function secondsToLive({ database_url: url }: Sandbox, { intentId }: Intent) {
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const { rows } = await database.query<{ readonly seconds: number }>({
    text: `select extract(epoch from expires_at - created_at)::float8 as seconds
             from payment_intents where intent_id = $1`,
    values: [intentId],
  });
  await database.close();
  return rows[0]?.seconds;
}

/** Where it says that they are; it stands nowhere but in what is printed. */
function workerMetricsOf(started: Start | undefined): string {
  const [, address] = /worker metrics +(\S+)/.exec(started?.printed() ?? '') ?? [];
  if (address === undefined) throw new Error(`no worker metrics in:\n${started?.printed() ?? ''}`);
  return address;
}

function pidOf(directory: string, name: string): number {
  return sandboxIn(directory).processes.find((entry) => entry.name === name)?.pid ?? 0;
}
