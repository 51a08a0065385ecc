// The SDKs have one surface: surface.json names every difference and its reason (decision 117).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportsOf, exportsOfPython } from '../support/sdk-exports';

type Names = Readonly<Record<string, string>>;

const surface = JSON.parse(readFileSync(join(__dirname, 'surface.json'), 'utf8')) as {
  readonly renamed: Names;
  readonly onlyNode: Names;
  readonly onlyPython: Names;
  readonly notInEdge: Names;
};

const sorted = (names: readonly string[]) => [...names].sort();
const inPython = (name: string) =>
  /^[a-z]/.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;

it('Python has every name of the Node SDK, except those of the table', () => {
  const shared = exportsOf('index').filter((name) => !(name in surface.onlyNode));
  const expected = shared.map((name) => surface.renamed[name] ?? inPython(name));
  const python = exportsOfPython().filter((name) => !(name in surface.onlyPython));
  expect(sorted(python)).toEqual(sorted([...new Set(expected)]));
});

it('the edge runtimes have every name of the Node SDK, except those of the table', () => {
  const expected = exportsOf('index').filter((name) => !(name in surface.notInEdge));
  expect(sorted(exportsOf('edge'))).toEqual(sorted(expected));
});

it('the table names only what exists', () => {
  const node = exportsOf('index');
  const { renamed, onlyNode, onlyPython, notInEdge } = surface;
  const named = [renamed, onlyNode, notInEdge].flatMap((names) => Object.keys(names));
  expect(named.filter((name) => !node.includes(name))).toEqual([]);
  const python = [...Object.values(renamed), ...Object.keys(onlyPython)];
  expect(python.filter((name) => !exportsOfPython().includes(name))).toEqual([]);
});
