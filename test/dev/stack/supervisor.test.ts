// The supervisor with real small processes: it restarts a killed process, reports a failed start in
// one sentence, and leaves no process running.
import { join } from 'node:path';
import type { Part } from '../../../src/dev/stack/supervisor';
import { identify, OWNER_VARIABLE, type ProcessIdentity } from '../../../src/dev/stack/processes';
import { Supervisor, type Restart } from '../../../src/dev/stack/supervisor';
import { readJsonFile, writePrivateJson } from '../../../src/dev/private-files';
import { until } from '../../../src/dev/until';
import { withFolder } from '../setup/scripts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { killProcess } from '../../../src/dev/stack/processes';
import { endStaleProcesses } from '../../../src/dev/stack/processes';

const SERVES = 'console.log(JSON.stringify({ msg: "ready" })); setInterval(() => undefined, 1000)';
const FAILS = 'console.log(JSON.stringify({ msg: "PORT: must be a number." })); process.exit(2)';
const LOGS_AND_FAILS = `console.log(JSON.stringify({ msg: 'failed', err: { message: 'the address is in use' } })); process.exit(1)`;

function aPart(script: string, name = 'worker'): Part {
  return {
    name,
    prepare: () =>
      Promise.resolve({
        program: process.execPath,
        args: ['-e', script],
        env: {},
        cwd: __dirname,
      }),
    isReady: async (launched) => (await launched.log()).includes('"msg":"ready"'),
  };
}

interface Supervised {
  readonly supervisor: Supervisor;
  readonly restarts: readonly Restart[];
  readonly folder: string;
}

function supervised(work: (supervised: Supervised) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const restarts: Restart[] = [];
    const supervisor = new Supervisor({
      directory: folder,
      onRestart: (restart) => restarts.push(restart),
    });
    try {
      await work({ supervisor, restarts, folder });
    } finally {
      await supervisor.stop();
    }
  });
}

function pidOf({ supervisor }: Supervised, name: string): number {
  return supervisor.running().find((record) => record.name === name)?.pid ?? 0;
}

describe('the supervisor', () => {
  it('waits until the part is ready, and records its pid', () =>
    supervised(async (system) => {
      await system.supervisor.start(aPart(SERVES));
      const pid = pidOf(system, 'worker');
      expect(identify(pid)).toBeDefined();
      expect(readJsonFile(join(system.folder, 'processes.json'))).toMatchObject([
        { name: 'worker', pid },
      ]);
    }));

  it('restarts a killed process', () =>
    supervised(async (system) => {
      await system.supervisor.start(aPart(SERVES));
      const killed = pidOf(system, 'worker');
      process.kill(killed, 'SIGKILL');
      const isBack = await until(() => system.restarts.length === 1, { timeoutMs: 15_000 });
      expect(isBack).toBe(true);
      expect(system.restarts).toMatchObject([{ name: 'worker', reason: 'SIGKILL' }]);
      expect(pidOf(system, 'worker')).not.toBe(killed);
    }));

  it('fails for a part that repeatedly ends before it is ready, with its log and last message', () =>
    supervised(async ({ supervisor, folder }) => {
      const log = join(folder, 'logs', 'worker.log');
      await expect(supervisor.start(aPart(FAILS))).rejects.toThrow(
        `The worker process ended before it was ready; its log is ${log}. Its last words: PORT: must be a number.`,
      );
      expect(supervisor.running()).toEqual([]);
    }));

  it('includes the error of the last line of the log', () =>
    supervised(async ({ supervisor }) => {
      await expect(supervisor.start(aPart(LOGS_AND_FAILS))).rejects.toThrow(
        'Its last words: failed: the address is in use',
      );
    }));

  it('fails with the name of a program that cannot be run', () =>
    supervised(async ({ supervisor }) => {
      const part: Part = {
        ...aPart(SERVES),
        prepare: () =>
          Promise.resolve({ program: '/no/such/program', args: [], env: {}, cwd: __dirname }),
      };
      await expect(supervisor.start(part)).rejects.toThrow('/no/such/program cannot be run.');
    }));

  it('leaves no process running when it stops, and restarts none', () =>
    supervised(async (system) => {
      await Promise.all([
        system.supervisor.start(aPart(SERVES, 'api')),
        system.supervisor.start(aPart(SERVES, 'worker')),
      ]);
      const pids = system.supervisor.running().map(({ pid }) => pid);
      await system.supervisor.stop();
      expect(pids.map(identify)).toEqual([undefined, undefined]);
      expect(system.restarts).toEqual([]);
    }));
});

// The next start ends the processes of a killed start, and no others (issue 3, item 4).
const FOREVER = 'console.log("up"); setInterval(() => undefined, 1000)';
const IGNORES_SIGTERM = `process.on("SIGTERM", () => undefined); ${FOREVER}`;

interface Running extends ProcessIdentity {
  readonly child: ChildProcess;
}

async function run(script: string, env: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, ['-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await once(child.stdout, 'data');
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (!identity) throw new Error('the process did not start');
  return { child, ...identity };
}

async function withProcess(started: Promise<Running>, work: (process: Running) => Promise<void>) {
  const running = await started;
  try {
    await work(running);
  } finally {
    killProcess(running);
  }
}

function record(folder: string, ...processes: readonly (ProcessIdentity & { name: string })[]) {
  const records = processes.map(({ name, pid, startedAt }) => ({ name, pid, startedAt }));
  writePrivateJson(join(folder, 'processes.json'), records);
}

describe('the processes of a start that was killed', () => {
  it('are ended by the next start', () =>
    withFolder((folder) =>
      withProcess(run(FOREVER), async (worker) => {
        record(folder, { ...worker, name: 'worker' });
        await expect(endStaleProcesses(folder)).resolves.toEqual(['worker']);
        expect(identify(worker.pid)).toBeUndefined();
      }),
    ));

  it('are not confused with another process that has the pid by now', () =>
    withFolder((folder) =>
      withProcess(run(FOREVER), async (other) => {
        record(folder, { name: 'worker', pid: other.pid, startedAt: 'long ago' });
        await expect(endStaleProcesses(folder)).resolves.toEqual([]);
        expect(identify(other.pid)).toEqual({
          pid: other.pid,
          startedAt: other.startedAt,
        });
      }),
    ));

  it('are killed when they ignore SIGTERM', () =>
    withFolder((folder) =>
      withProcess(run(IGNORES_SIGTERM), async (stubborn) => {
        record(folder, { ...stubborn, name: 'api' });
        await expect(endStaleProcesses(folder)).resolves.toEqual(['api']);
        expect(identify(stubborn.pid)).toBeUndefined();
      }),
    ));

  it('are found by their environment, on Linux, when they were never recorded', () =>
    withFolder((folder) =>
      withProcess(run(FOREVER, { [OWNER_VARIABLE]: folder }), async () => {
        const found = process.platform === 'linux' ? ['other'] : [];
        await expect(endStaleProcesses(folder)).resolves.toEqual(found);
      }),
    ));

  it('stop in the order api, worker, sandbox, temporal, postgres', () =>
    withFolder(async (folder) => {
      const names = ['postgres', 'sandbox', 'temporal', 'api', 'worker'];
      const processes = await Promise.all(names.map(() => run(FOREVER)));
      record(folder, ...processes.map((identity, i) => ({ ...identity, name: names[i] ?? '' })));
      const order = ['api', 'worker', 'sandbox', 'temporal', 'postgres'];
      await expect(endStaleProcesses(folder)).resolves.toEqual(order);
    }));
});
