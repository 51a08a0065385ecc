// What a killed start leaves behind is ended by the next one, and nothing else is (issue 3, item 4).
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { killProcess } from '../../src/dev/process-end';
import { OWNER_VARIABLE, identify, type ProcessIdentity } from '../../src/dev/process-identity';
import { endStaleProcesses } from '../../src/dev/process-records';
import { writePrivateJson } from '../../src/dev/private-files';
import { withFolder } from './scripts';

const FOREVER = 'console.log("up"); setInterval(() => undefined, 1000)';
const DEAF = `process.on("SIGTERM", () => undefined); ${FOREVER}`;

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

  it('leave a stranger alone that has the pid by now', () =>
    withFolder((folder) =>
      withProcess(run(FOREVER), async (stranger) => {
        record(folder, { name: 'worker', pid: stranger.pid, startedAt: 'long ago' });
        await expect(endStaleProcesses(folder)).resolves.toEqual([]);
        expect(identify(stranger.pid)).toEqual({
          pid: stranger.pid,
          startedAt: stranger.startedAt,
        });
      }),
    ));

  it('are ended by force when they do not listen', () =>
    withFolder((folder) =>
      withProcess(run(DEAF), async (deaf) => {
        record(folder, { ...deaf, name: 'api' });
        await expect(endStaleProcesses(folder)).resolves.toEqual(['api']);
        expect(identify(deaf.pid)).toBeUndefined();
      }),
    ));

  it('are found by their mark, on Linux, when they were never written down', () =>
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
