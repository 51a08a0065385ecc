// Each lint rule we rely on still bites: a text that breaks it, read as if it stood in a file of ours. The texts for one
// file are linted together, one after the other: the types of the project are what takes time.
import { join } from 'node:path';
import { runScript, TOOL_TIMEOUT_MS } from '../support/fixture-project';

interface Fixture {
  readonly rule: string;
  readonly filePath: string;
  readonly text: string;
}

const DOMAIN = 'src/domain/money.ts';
const WORKFLOW = 'workflows/messages.ts';
const TEST = 'test/guards/lint.test.ts';

const lines = (count: number, line: string) => `${line}\n`.repeat(count);

const REFUSED: readonly Fixture[] = [
  {
    rule: '@typescript-eslint/no-floating-promises',
    filePath: DOMAIN,
    text: 'export function pay(): void { Promise.resolve(1); }\n',
  },
  {
    rule: '@typescript-eslint/no-misused-promises',
    filePath: DOMAIN,
    text: 'export const pay = (xs: string[]) => { xs.forEach(async () => { await Promise.resolve(); }); };\n',
  },
  {
    rule: '@typescript-eslint/switch-exhaustiveness-check',
    filePath: DOMAIN,
    text: "export function name(s: 'a' | 'b'): string { switch (s) { case 'a': return 'A'; } return ''; }\n",
  },
  {
    rule: '@typescript-eslint/consistent-type-imports',
    filePath: DOMAIN,
    text: "import { IntentId } from './ids';\nexport const same = (id: IntentId) => id;\n",
  },
  {
    rule: '@typescript-eslint/no-explicit-any',
    filePath: DOMAIN,
    text: 'export const read = (value: any) => String(value);\n',
  },
  {
    rule: '@typescript-eslint/no-unsafe-member-access',
    filePath: DOMAIN,
    text: "export const read = (): number => JSON.parse('{}').amount;\n",
  },
  {
    rule: '@typescript-eslint/no-non-null-assertion',
    filePath: DOMAIN,
    text: 'export const first = (list: string[]): string => list[0]!;\n',
  },
  { rule: 'no-console', filePath: DOMAIN, text: "console.log('paid');\n" },
  { rule: 'max-lines', filePath: 'src/domain/ids.ts', text: lines(251, '// A long story.') },
  {
    rule: 'max-lines-per-function',
    filePath: DOMAIN,
    text: `export function pay(): void {\n${lines(50, '  //')}}\n`,
  },
  {
    rule: 'complexity',
    filePath: DOMAIN,
    text: `export const pick = (n: number) => ${lines(8, 'n > 1 ? 2 :')} 3;\n`,
  },
  {
    rule: 'max-params',
    filePath: DOMAIN,
    text: 'export const sum = (a: number, b: number, c: number, d: number, e: number) => a + b + c + d + e;\n',
  },
  {
    rule: 'no-restricted-properties',
    filePath: DOMAIN,
    text: "export const home = () => process.env['HOME'];\n",
  },
  {
    rule: 'no-restricted-properties',
    filePath: DOMAIN,
    text: 'export const { env } = process;\n',
  },
  {
    rule: 'no-restricted-properties',
    filePath: DOMAIN,
    text: 'export const stop = () => process.exit(1);\n',
  },
  {
    rule: 'no-restricted-properties',
    filePath: DOMAIN,
    text: 'export const nowMs = () => Date.now();\n',
  },
  {
    rule: 'no-restricted-syntax',
    filePath: DOMAIN,
    text: 'export const now = () => new Date();\n',
  },
  {
    rule: 'no-restricted-syntax',
    filePath: DOMAIN,
    text: 'export default function pay(): void { return; }\n',
  },
  {
    rule: 'no-restricted-imports',
    filePath: 'src/ports/clock.ts',
    text: "import { env } from 'node:process';\nexport const home = env['HOME'];\n",
  },
  {
    rule: 'no-restricted-imports',
    filePath: WORKFLOW,
    text: "import { createHash } from 'node:crypto';\nexport const hash = createHash;\n",
  },
  {
    rule: 'no-restricted-imports',
    filePath: WORKFLOW,
    text: "import { readFileSync } from 'fs';\nexport const read = readFileSync;\n",
  },
  {
    rule: 'jest/expect-expect',
    filePath: TEST,
    text: "test('proves nothing', () => { Math.abs(1); });\n",
  },
  {
    rule: 'jest/no-focused-tests',
    filePath: TEST,
    text: "test.only('alone', () => { expect(1).toBe(1); });\n",
  },
  {
    rule: 'jest/no-disabled-tests',
    filePath: TEST,
    text: "test.skip('later', () => { expect(1).toBe(1); });\n",
  },
  {
    rule: 'jest/no-conditional-expect',
    filePath: TEST,
    text: "test('perhaps', () => { if (Math.random() > 2) { expect(1).toBe(1); } });\n",
  },
  {
    rule: 'no-restricted-syntax',
    filePath: TEST,
    text: "jest.mock('../../src/domain/money');\n",
  },
  {
    rule: 'no-restricted-syntax',
    filePath: TEST,
    text: 'export const sleep = (done: () => void) => setTimeout(done, 1000);\n',
  },
  {
    rule: 'no-restricted-syntax',
    filePath: TEST,
    text: "import { setTimeout as sleep } from 'node:timers/promises';\nexport const nap = sleep;\n",
  },
  { rule: 'no-undef', filePath: 'src/dev/setup.mjs', text: 'whatIsThis();\n' },
];

/** What the exceptions named in the configuration allow, and nothing must take away by accident. */
const ALLOWED: readonly Fixture[] = [
  {
    rule: 'no-restricted-imports',
    filePath: WORKFLOW,
    text: "import type { UsdCents } from '../src/domain/money';\nexport type Amount = UsdCents;\n",
  },
  {
    rule: 'no-restricted-properties',
    filePath: 'src/config.ts',
    text: "export const home = () => process.env['HOME'];\n",
  },
  { rule: 'no-console', filePath: 'src/ops/payctl.ts', text: "console.log('done');\n" },
];

interface Finding {
  readonly rule: string | null;
  readonly line: number;
}

const lineCount = (text: string) => text.split('\n').length - 1;

/** @returns the rules that spoke against each fixture */
function lint(fixtures: readonly Fixture[]): ReadonlyMap<Fixture, readonly (string | null)[]> {
  const paths = [...new Set(fixtures.map(({ filePath }) => filePath))];
  const files = paths.map((path) => fixtures.filter(({ filePath }) => filePath === path));
  const texts = files.map((parts, index) => ({
    filePath: paths[index],
    text: parts.map(({ text }) => text).join(''),
  }));
  const run = runScript(join(__dirname, 'lint-texts.mjs'), [], { input: JSON.stringify(texts) });
  const findings = JSON.parse(run.stdout) as Finding[][];
  return new Map(files.flatMap((parts, index) => assign(parts, findings[index] ?? [])));
}

function assign(parts: readonly Fixture[], findings: readonly Finding[]) {
  let end = 0;
  return parts.map((fixture) => {
    const start = end;
    end += lineCount(fixture.text);
    const own = findings.filter(({ line }) => line > start && line <= end);
    return [fixture, own.map(({ rule }) => rule)] as const;
  });
}

function titled(fixture: Fixture) {
  const [firstLine = ''] = fixture.text.split('\n');
  return [fixture.rule, fixture.filePath, firstLine, fixture] as const;
}

describe('eslint', () => {
  let found: ReturnType<typeof lint>;

  beforeAll(() => {
    found = lint([...REFUSED, ...ALLOWED]);
  }, TOOL_TIMEOUT_MS);

  it.each(REFUSED.map(titled))('%s bites in %s: %s', (rule, _path, _text, fixture) => {
    expect(found.get(fixture)).toContain(rule);
  });

  it.each(ALLOWED.map(titled))('%s lets %s say: %s', (_rule, _path, _text, fixture) => {
    expect(found.get(fixture)).toEqual([]);
  });
});
