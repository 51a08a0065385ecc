// Modules that all workflows of a worker share have no state, or one payment could see another's
// (decision 126).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const PRELOADED = join(ROOT, 'workflows', 'preloaded.ts');

/** A top-level variable, or a container that stays writable when the exports are frozen. */
const STATE =
  /^(?:export )?(?:(?:let|var) |const .*= new (?:Map|Set|WeakMap|WeakSet|Array)\b|const .*= \[\];)/m;
const IMPORTED = /^(?:import|export) (?!type)(?:.* from )?'(\.[^']+)';$/gm;

function withImports(file: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
    const imported = `${join(dirname(file), path)}.ts`;
    if (!seen.has(imported)) withImports(imported, seen);
  }
  return seen;
}

it('our shared modules and their imports have no state', () => {
  const files = [...withImports(PRELOADED)].filter((file) => file !== PRELOADED);
  expect(files.length).toBeGreaterThanOrEqual(4);
  expect(files.filter((file) => !file.includes(join('src', 'domain')))).toEqual([]);
  expect(files.filter((file) => STATE.test(readFileSync(file, 'utf8')))).toEqual([]);
});

it.each([
  'let last = 0;',
  'export var seen;',
  'const seen = new Map<string, number>();',
  'export const all: string[] = [];',
])('finds %s', (line) => {
  expect(STATE.test(`import { one } from './one';\n\n${line}\n`)).toBe(true);
});
