// The sandbox process: ready, killed, restarted, stopped (architecture, sections 6 and 7).
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, RUN_TYPESCRIPT } from '../../src/dev/tools';
import { makeFolder, removeFolder } from './sandbox-folder';

const TOKEN = 'a bearer credential';

interface Ready {
  readonly msg: string;
  readonly provider_port: number;
  readonly partner_port: number;
}

let folder = '';
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await removeFolder(folder);
});

function launch(settings: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [...RUN_TYPESCRIPT, 'src/main/sandbox.ts'], {
    cwd: ROOT,
    env: { NODE_ENV: 'test', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

async function launchReady(): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const child = launch({
    PROVIDER_TOKEN: TOKEN,
    PROVIDER_PORT: '0',
    PARTNER_PORT: '0',
    SANDBOX_DIR: join(folder, 'sandbox'),
    SANDBOX_PARTNERS_FILE: join(folder, 'partners.json'),
  });
  return { child, ready: JSON.parse(await firstLine(child.stdout)) as Ready };
}

async function firstLine(stream: ChildProcess['stdout']): Promise<string> {
  if (stream === null) throw new Error('the stream is not piped');
  for await (const line of createInterface(stream)) return line;
  return '';
}

async function exitOf(child: ChildProcess): Promise<unknown[]> {
  return once(child, 'exit');
}

async function pay({ provider_port: port }: Ready, key: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/payouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'idempotency-key': key },
    body: JSON.stringify({ amount_usd_cents: 1_250, corridor: 'th_qrpay' }),
  });
  const { status } = (await response.json()) as { readonly status: string };
  return status;
}

async function journaledKeys({ provider_port: port }: Ready): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/journal`);
  return ((await response.json()) as { readonly key: string }[]).map(({ key }) => key);
}

describe('the sandbox process', () => {
  it('has in its journal every payout that it acknowledged before a kill -9, and pays repeats once', async () => {
    const first = await launchReady();
    const keys = Array.from({ length: 200 }, (_, index) => `pi_${index}:payout`);
    const acknowledged: string[] = [];
    const paying = keys.map(async (key) => {
      if ((await pay(first.ready, key)) === 'paid') acknowledged.push(key);
      if (acknowledged.length === 50) first.child.kill('SIGKILL');
    });
    await Promise.allSettled(paying);
    expect(acknowledged.length).toBeGreaterThanOrEqual(50);

    const second = await launchReady();
    expect(await journaledKeys(second.ready)).toEqual(expect.arrayContaining(acknowledged));
    await Promise.all(keys.map((key) => pay(second.ready, key)));
    expect((await journaledKeys(second.ready)).sort()).toEqual(keys.sort());
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'logs ready with both ports, and exits with 0 on %s',
    async (signal) => {
      const { child, ready } = await launchReady();
      expect(ready).toMatchObject({ msg: 'ready' });
      await expect(fetch(`http://127.0.0.1:${ready.partner_port}/healthz`)).resolves.toMatchObject({
        status: 200,
      });
      child.kill(signal);
      expect(await exitOf(child)).toEqual([0, null]);
    },
  );

  it('says in one line which setting is missing, and exits with 2', async () => {
    const child = launch({});
    const [line, exit] = await Promise.all([firstLine(child.stderr), exitOf(child)]);
    expect(line).toContain('PROVIDER_TOKEN');
    expect(exit).toEqual([2, null]);
  });

  it('exits with 1 and one line when its port is in use', async () => {
    const { ready } = await launchReady();
    const child = launch({
      PROVIDER_TOKEN: TOKEN,
      PROVIDER_PORT: String(ready.provider_port),
      PARTNER_PORT: '0',
      SANDBOX_DIR: join(folder, 'other'),
      SANDBOX_PARTNERS_FILE: join(folder, 'partners.json'),
    });
    const [line, exit] = await Promise.all([firstLine(child.stdout), exitOf(child)]);
    expect(line).toContain('EADDRINUSE');
    expect(exit).toEqual([1, null]);
  });
});
