// `npm start` (architecture, section 7), beside what test/journeys/one-command.test.ts asserts: what it hands on, keeps over a
// kill, and does when its terminal is closed. One system serves all of these, since each start takes seconds.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSandboxFile, type Sandbox } from '../../src/dev/sandbox-file';
import { until } from '../../src/dev/until';
import { createDatabase } from '../../src/postgres/database';
import type { Intent } from '../../src/sdk';
import { npmStart, pidOf, stillRunning, type NpmStart } from '../support/npm-start';
import { createSandboxPayer } from '../support/sandbox-payer';

/** `npm start` reads neither: they are the API's (docs/configuration.md). */
const FOR_THE_API = { INTENT_TTL_SECONDS: '600', CONFIRM_WAIT_MS: '0' };
/** Pending at the provider for three seconds, which a confirm that waits as long as it may waits for. */
const PENDING_USD_CENTS = 40_004;
const RESTART_WITHIN_MS = 30_000;
/** A start, and what a test does besides, on two busy cores. */
const TEST_WITHIN_MS = 120_000;

describe('npm start', () => {
  const directory = mkdtempSync(join(tmpdir(), 'payment-intents-start-'));
  let start: NpmStart;

  beforeAll(async () => {
    chmodSync(directory, 0o711);
    start = await npmStart(directory, FOR_THE_API);
  }, TEST_WITHIN_MS);
  afterAll(async () => {
    await start.interrupt();
    rmSync(directory, { recursive: true, force: true });
  }, TEST_WITHIN_MS);

  it('hands on to the API how long an intent lives, and how long a confirm waits', async () => {
    const sandbox = start.sandbox();
    const [partner] = sandbox.partners;
    if (partner === undefined) throw new Error('two partners are onboarded');
    const { create, mint, confirm } = createSandboxPayer(sandbox, partner);
    const intent = await create(PENDING_USD_CENTS);
    await expect(secondsToLive(sandbox, intent)).resolves.toBe(600);
    const reply = await confirm(intent, await mint(intent));
    await expect(reply.json()).resolves.toMatchObject({ status: 'authorized' });
  });

  it.each(['worker', 'postgres'])('starts a killed %s again, with its new pid', async (name) => {
    const killed = pidOf(start.sandbox(), name);
    process.kill(killed, 'SIGKILL');
    const isBack = () => start.output().includes(`${name} ended (SIGKILL)`);
    await expect(until(isBack, { timeoutMs: RESTART_WITHIN_MS })).resolves.toBe(true);
    expect(pidOf(start.sandbox(), name)).not.toBe(killed);
  });

  it('serves the metrics of API and worker where it says, also of a worker that was started again', async () => {
    const api = await fetch(start.sandbox().metrics_url);
    await expect(api.text()).resolves.toContain('# TYPE http_request_duration_seconds ');
    const worker = await fetch(workerMetricsOf(start));
    await expect(worker.text()).resolves.toContain('# TYPE holding_low_usd_cents ');
  });

  it(
    'keeps its data, keys and ports over a kill',
    async () => {
      const [before, workerMetrics] = [start.sandbox(), workerMetricsOf(start)];
      start.process.kill('SIGKILL');
      await until(() => start.process.signalCode !== null, { timeoutMs: RESTART_WITHIN_MS });
      start = await npmStart(directory, FOR_THE_API);
      expect(start.output()).toContain('ended what a killed start had left');
      expect({ ...start.sandbox(), processes: [] }).toEqual({ ...before, processes: [] });
      expect(workerMetricsOf(start)).toBe(workerMetrics);
    },
    TEST_WITHIN_MS,
  );

  it(
    'leaves no process behind when its terminal is closed',
    async () => {
      const { processes } = start.sandbox();
      // Nobody takes what it prints any more.
      start.process.stdout?.destroy();
      start.process.stderr?.destroy();
      start.process.kill('SIGHUP');
      await until(() => start.process.exitCode !== null, { timeoutMs: RESTART_WITHIN_MS });
      expect(start.process.exitCode).toBe(0);
      await expect(stillRunning(processes.map(({ pid }) => pid))).resolves.toEqual([]);
      expect(readSandboxFile(directory)).toBeUndefined();
    },
    TEST_WITHIN_MS,
  );
});

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
function workerMetricsOf(start: NpmStart): string {
  const [, address] = /worker metrics +(\S+)/.exec(start.output()) ?? [];
  if (address === undefined) throw new Error(`no worker metrics in:\n${start.output()}`);
  return address;
}
