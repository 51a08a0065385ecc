// The names that the SDKs export, read from their sources.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './programs/fixture-project';

const read = (...path: readonly string[]) =>
  readFileSync(join(ROOT, 'src', 'sdk', ...path), 'utf8');

/** @param entry of the Node SDK: values and types */
export function exportsOf(entry: 'index' | 'edge'): readonly string[] {
  // Both entries re-export the first file.
  const text = (read('common.ts') + read(`${entry}.ts`)).replaceAll(/\/\/.*/g, '');
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.replace(/^\s*(type )?/, '').trim())
      .filter((name) => name !== ''),
  );
}

export function exportsOfPython(): readonly string[] {
  const [, listed = ''] =
    /__all__ = \[([^\]]*)\]/.exec(read('python', 'payment_intents', '__init__.py')) ?? [];
  return [...listed.matchAll(/"(\w+)"/g)].map(([, name = '']) => name);
}
