// The SDKs have one surface: surface.json names every difference and its reason (decision 117).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';
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

it('both run the same checks over a token, in the same order', () => {
  const read = (path: string) => readFileSync(join(ROOT, 'src', path), 'utf8');
  const node = read('signing/token-checks.ts').matchAll(/step: (\w+),\s+reason: '(\w+)'/g);
  const python = read('sdk/python/payment_intents/explain/token.py').matchAll(
    /_Check\(\s*(\w+),\s+"(\w+)"/g,
  );
  const named = (found: Iterable<RegExpExecArray>) =>
    [...found].map(([, step = '', reason = '']) => `${step.toLowerCase()} ${reason}`);
  // The SDK explains no token of the status page, and the path is compared after all checks.
  const expected = named(node).filter((check) => check !== '8 jti_not_used');
  expect(expected.length).toBeGreaterThan(15);
  expect(named(python).map((check) => check.replace('none', 'null'))).toEqual([
    ...expected,
    'null bound_to_another_intent',
  ]);
});

it('both explain the same signing mistakes, in the same words', () => {
  const read = (...path: readonly string[]) =>
    readFileSync(join(ROOT, 'src', ...path), 'utf8')
      // Joins the literals of a sentence that has two lines.
      .replaceAll(/["'](?: \+)?\n\s*["']/g, '');
  const python = read('sdk', 'python', 'payment_intents', 'explain', 'usual_mistakes.py');
  const node = read('signing', 'signing-mistakes.ts');
  const sentences = [...node.matchAll(/sentence:\s+'(.*)',/g)].map(([, sentence = '']) => sentence);
  expect(sentences.filter((sentence) => !python.includes(sentence))).toEqual([]);
  expect(python.match(/^ {4}Row\($/gm)).toHaveLength(sentences.length);
});
