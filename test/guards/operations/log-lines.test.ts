// Each warning and each error that an API or a worker logs is explained in docs/operations.md, to
// which the alarms lead.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/programs/fixture-project';

/** What runs in an API or a worker. */
const SOURCES = [
  ...['activities', 'api', 'workflows'],
  ...['main', 'http', 'postgres', 'signing', 'temporal', 'observe', 'providers'].map(
    (name) => `src/${name}`,
  ),
];

function textsOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('checkout/browser'))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}

/** The text is the last argument, or the constant `message`. */
const LOGGED =
  /\blog(?:\?)?\.(?:warn|error)\([^;]*?['`]([^'`\n]+)['`],?\s*\);|\bmessage = '([^'\n]+)';/g;

const LINES = SOURCES.flatMap(textsOf).flatMap((text) =>
  [...text.matchAll(LOGGED)].map(([, last, constant]) => last ?? constant ?? ''),
);

const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').replaceAll(/```[^]*?```/g, '');
const EXPLAINED = [...page.matchAll(/`([^`]+)`/g)]
  .map(([, code = '']) => code)
  .filter(({ length }) => length >= 'failed'.length);

/** An explained line is written as its beginning; after `…` as its end. */
function isExplained(line: string): boolean {
  return EXPLAINED.some((code) =>
    code.startsWith('…')
      ? line.endsWith(code.slice(1).trim())
      : line.startsWith(code.replace('…', '').trim()),
  );
}

it('finds the lines that are logged', () => {
  expect(LINES.length).toBeGreaterThan(30);
  expect(LINES).toContain('request failed');
});

it.each([...new Set(LINES)])('explains the line: %s', (line) => {
  expect(isExplained(line)).toBe(true);
});
