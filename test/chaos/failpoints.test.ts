// The named points at which the harness has a process die, and that no process of the product can reach them.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { asItIs } from '../../src/main/around';
import { ROOT } from '../support/fixture-project';
import { armTrap, failpointsOf } from './failpoints';

const aPort = () => {
  const done: string[] = [];
  return {
    done,
    port: {
      pay: (amount: number) => {
        done.push(`pay ${String(amount)}`);
        return Promise.resolve('paid');
      },
      transition: (command: { readonly event: string }) => {
        done.push(command.event);
        return Promise.reject(new Error('Postgres is away'));
      },
      begin: () => {
        done.push('begin');
      },
    },
  };
};

class Died extends Error {}

describe('a failpoint', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'failpoints-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const die = () => {
    throw new Died();
  };
  const around = (process = 'worker-1', isDue = () => true) =>
    failpointsOf(directory, process, { isDue, die });

  it('passes everything through while nothing is armed', async () => {
    const { port, done } = aPort();
    await expect(around()('provider', port).pay(3)).resolves.toBe('paid');
    expect(done).toEqual(['pay 3']);
  });

  it('strikes before the effect, which then has not happened', () => {
    const { port, done } = aPort();
    const trap = armTrap(directory, 'worker-1', 'provider.pay before');
    expect(() => around()('provider', port).pay(3)).toThrow(Died);
    expect([done, trap.hasStruck()]).toEqual([[], true]);
  });

  it('strikes after the effect, which then has happened', async () => {
    const { port, done } = aPort();
    armTrap(directory, 'worker-1', 'provider.pay after');
    await expect(around()('provider', port).pay(3)).rejects.toThrow(Died);
    expect(done).toEqual(['pay 3']);
  });

  it('strikes after an effect that failed, too', async () => {
    const { port } = aPort();
    armTrap(directory, 'worker-1', 'intents.transition:capture after');
    await expect(around()('intents', port).transition({ event: 'capture' })).rejects.toThrow(Died);
  });

  it('tells one transition from another', async () => {
    const { port } = aPort();
    armTrap(directory, 'worker-1', 'intents.transition:capture before');
    const { transition } = around()('intents', port);
    await expect(transition({ event: 'fail' })).rejects.toThrow('Postgres is away');
    expect(() => transition({ event: 'capture' })).toThrow(Died);
  });

  it('strikes around what answers nothing to wait for', () => {
    const { port, done } = aPort();
    armTrap(directory, 'worker-1', 'runner.begin after');
    expect(() => around()('runner', port).begin()).toThrow(Died);
    expect(done).toEqual(['begin']);
  });

  it('strikes once, and only the process that it is armed for', async () => {
    const { port } = aPort();
    const trap = armTrap(directory, 'worker-1', 'provider.pay before');
    await expect(around('worker-2')('provider', port).pay(1)).resolves.toBe('paid');
    expect(trap.hasStruck()).toBe(false);
    expect(() => around()('provider', port).pay(2)).toThrow(Died);
    await expect(around()('provider', port).pay(3)).resolves.toBe('paid');
  });

  it('spares a process that is not due to die, and strikes it later', async () => {
    const { port } = aPort();
    const trap = armTrap(directory, 'worker-1', 'provider.pay before');
    const life = { isOver: false };
    const { pay } = around('worker-1', () => life.isOver)('provider', port);
    await expect(pay(3)).resolves.toBe('paid');
    expect(trap.hasStruck()).toBe(false);
    life.isOver = true;
    expect(() => pay(3)).toThrow(Died);
  });

  it('that is disarmed does not strike', async () => {
    const { port } = aPort();
    armTrap(directory, 'worker-1', 'provider.pay before').disarm();
    await expect(around()('provider', port).pay(3)).resolves.toBe('paid');
  });
});

describe('in the product', () => {
  const IMPORT = /from '(\.[^']+)'/g;

  function reachableFrom(file: string, seen: Set<string>): Set<string> {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const base = resolve(dirname(file), path);
      const found = [`${base}.ts`, join(base, 'index.ts')].find((one) => existsSync(one));
      if (found !== undefined) reachableFrom(found, seen);
    }
    return seen;
  }

  const programs = readdirSync(join(ROOT, 'src/main'));

  it('no failpoint can be reached from any program of src/main', () => {
    const files = new Set<string>();
    for (const program of programs) reachableFrom(join(ROOT, 'src/main', program), files);
    const own = [...files].map((file) => relative(ROOT, file));
    expect(own).toContain('src/main/around.ts');
    expect(own.filter((file) => file.startsWith('test'))).toEqual([]);
    expect(
      own.filter((file) => /SIGKILL|failpoint/i.test(readFileSync(join(ROOT, file), 'utf8'))),
    ).toEqual([]);
  });

  it.each(['api', 'worker'])('%s puts nothing around its ports', (name) => {
    const text = readFileSync(join(ROOT, `src/main/${name}.ts`), 'utf8');
    expect(text).toMatch(/runProcess\('\w+', \(\) => start\w+\(\)\);/);
    const port = { pay: () => 1 };
    expect(asItIs('provider', port)).toBe(port);
  });
});
