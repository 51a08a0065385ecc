// Failpoints kill a process before or after a named effect. No program of the product may reach
// them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { asItIs } from '../../../src/main/around';
import { withFolder } from '../../support/brackets';
import { ROOT } from '../../support/programs/fixture-project';
import { armTrap, failpointsOf } from './failpoints';

class Died extends Error {}

describe('a failpoint', () => {
  const folder = withFolder();
  const done: unknown[] = [];
  const life = { isDue: true };
  const around = (process: string) =>
    failpointsOf(folder, process, {
      isDue: () => life.isDue,
      die: () => {
        throw new Died();
      },
    });
  const port = {
    pay: (amount: number) => Promise.resolve(done.push(amount)),
    transition: ({ event }: { readonly event: string }) => {
      done.push(event);
      return Promise.reject(new Error('Postgres is away'));
    },
    begin: () => done.push('begin'),
  };
  const { pay } = around('worker-1')('provider', port);
  const { transition } = around('worker-1')('intents', port);
  beforeEach(() => done.splice(0));

  it('kills before the effect, once, and only the process that it is armed for', async () => {
    const trap = armTrap(folder, 'worker-1', 'provider.pay before');
    await around('worker-2')('provider', port).pay(1);
    expect([done, trap.hasFired()]).toEqual([[1], false]);
    expect(() => pay(2)).toThrow(Died);
    await pay(3);
    expect([done, trap.hasFired()]).toEqual([[1, 3], true]);
  });

  it('kills after the effect, whether that succeeded, failed or returned no promise', async () => {
    armTrap(folder, 'worker-1', 'provider.pay after');
    armTrap(folder, 'worker-1', 'intents.transition:capture after');
    armTrap(folder, 'worker-1', 'runner.begin after');
    await expect(pay(3)).rejects.toThrow(Died);
    await expect(transition({ event: 'capture' })).rejects.toThrow(Died);
    expect(() => around('worker-1')('runner', port).begin()).toThrow(Died);
    expect(done).toEqual([3, 'capture', 'begin']);
  });

  it('distinguishes transitions by their event', async () => {
    armTrap(folder, 'worker-1', 'intents.transition:capture before');
    await expect(transition({ event: 'fail' })).rejects.toThrow('Postgres is away');
    expect(() => transition({ event: 'capture' })).toThrow(Died);
  });

  it('spares a process that is not due, and kills it later unless the trap is disarmed', async () => {
    const trap = armTrap(folder, 'worker-1', 'provider.pay before');
    life.isDue = false;
    await pay(3);
    expect(trap.hasFired()).toBe(false);
    life.isDue = true;
    expect(() => pay(3)).toThrow(Died);
    armTrap(folder, 'worker-1', 'provider.pay before').disarm();
    await pay(4);
    expect(done).toEqual([3, 4]);
  });
});

describe('the product', () => {
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

  const programs = readdirSync(join(ROOT, 'src/main')).filter((file) => file.endsWith('.ts'));

  it('reaches no failpoint from any program of src/main', () => {
    const files = new Set<string>();
    for (const program of programs) reachableFrom(join(ROOT, 'src/main', program), files);
    const own = [...files].map((file) => relative(ROOT, file));
    expect(own).toContain('src/main/around.ts');
    expect(own.filter((file) => file.startsWith('test'))).toEqual([]);
    expect(
      own.filter((file) => /SIGKILL|failpoint/i.test(readFileSync(join(ROOT, file), 'utf8'))),
    ).toEqual([]);
  });

  it.each(['api', 'worker'])('wraps no port in the program %s', (name) => {
    const text = readFileSync(join(ROOT, `src/main/${name}.ts`), 'utf8');
    expect(text).toMatch(/runProcess\('\w+', \(\) => start\w+\(\)\);/);
    const port = { pay: () => 1 };
    expect(asItIs('provider', port)).toBe(port);
  });
});
