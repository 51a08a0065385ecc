// Each lint rule that we rely on still reports a text that breaks it. The texts for one file are
// linted as one text, because loading the types of the project is slow.
import { join } from 'node:path';
import { runScript, TOOL_TIMEOUT_MS } from '../support/programs/fixture-project';

interface Fixture {
  readonly rule: string;
  readonly filePath: string;
  readonly text: string;
}

const lines = (count: number, line: string) => `${line}\n`.repeat(count);

const REPORTED = fixturesOf(`
# @typescript-eslint/no-floating-promises | src/domain/money.ts
export function pay(): void { Promise.resolve(1); }
# @typescript-eslint/no-misused-promises | src/domain/money.ts
export const pay = (xs: string[]) => { xs.forEach(async () => { await Promise.resolve(); }); };
# @typescript-eslint/switch-exhaustiveness-check | src/domain/money.ts
export function name(s: 'a' | 'b'): string { switch (s) { case 'a': return 'A'; } return ''; }
# @typescript-eslint/consistent-type-imports | src/domain/money.ts
import { IntentId } from './ids';
export const same = (id: IntentId) => id;
# @typescript-eslint/no-explicit-any | src/domain/money.ts
export const read = (value: any) => String(value);
# @typescript-eslint/no-unsafe-member-access | src/domain/money.ts
export const read = (): number => JSON.parse('{}').amount;
# @typescript-eslint/no-non-null-assertion | src/domain/money.ts
export const first = (list: string[]): string => list[0]!;
# no-console | src/domain/money.ts
console.log('paid');
# max-lines | src/domain/ids.ts
${lines(251, '// A long file.')}
# max-lines-per-function | src/domain/money.ts
export function pay(): void {
${lines(50, '  //')}}
# complexity | src/domain/money.ts
export const pick = (n: number) => ${lines(8, 'n > 1 ? 2 :')} 3;
# max-params | src/domain/money.ts
export const sum = (a: number, b: number, c: number, d: number, e: number) => a + b + c + d + e;
# no-restricted-properties | src/domain/money.ts
export const home = () => process.env['HOME'];
# no-restricted-properties | src/domain/money.ts
export const { env } = process;
# no-restricted-properties | src/domain/money.ts
export const stop = () => process.exit(1);
# no-restricted-properties | src/domain/money.ts
export const nowMs = () => Date.now();
# no-restricted-syntax | src/domain/money.ts
export const now = () => new Date();
# no-restricted-syntax | src/domain/money.ts
export default function pay(): void { return; }
# no-restricted-imports | src/ports/clock.ts
import { env } from 'node:process';
export const home = env['HOME'];
# no-restricted-imports | workflows/messages/messages.ts
import { createHash } from 'node:crypto';
export const hash = createHash;
# no-restricted-imports | workflows/messages/messages.ts
import { readFileSync } from 'fs';
export const read = readFileSync;
# jest/expect-expect | test/guards/lint.test.ts
test('proves nothing', () => { Math.abs(1); });
# jest/no-focused-tests | test/guards/lint.test.ts
test.only('alone', () => { expect(1).toBe(1); });
# jest/no-disabled-tests | test/guards/lint.test.ts
test.skip('later', () => { expect(1).toBe(1); });
# jest/no-conditional-expect | test/guards/lint.test.ts
test('perhaps', () => { if (Math.random() > 2) { expect(1).toBe(1); } });
# no-restricted-syntax | test/guards/lint.test.ts
jest.mock('../../src/domain/money');
# no-restricted-syntax | test/guards/lint.test.ts
export const sleep = (done: () => void) => setTimeout(done, 1000);
# no-restricted-syntax | test/guards/lint.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
export const nap = sleep;
# no-undef | src/dev/setup.mjs
whatIsThis();
`);

/** Texts that the exceptions in the configuration allow. */
const ALLOWED = fixturesOf(`
# no-restricted-imports | workflows/messages/messages.ts
import type { UsdCents } from '../src/domain/money';
export type Amount = UsdCents;
# no-restricted-properties | src/config/config.ts
export const home = () => process.env['HOME'];
# no-console | src/ops/payctl.ts
console.log('done');
`);

/** Each fixture begins with a line `# RULE | FILE`. */
function fixturesOf(text: string): readonly Fixture[] {
  return [...text.matchAll(/^# (\S+) \| (\S+)\n((?:(?!# ).*\n)+)/gm)].map(
    ([, rule = '', filePath = '', own = '']) => ({ rule, filePath, text: own }),
  );
}

interface Finding {
  readonly rule: string | null;
  readonly line: number;
}

const lineCount = (text: string) => text.split('\n').length - 1;

/** @returns the rules that each fixture breaks */
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
    found = lint([...REPORTED, ...ALLOWED]);
  }, TOOL_TIMEOUT_MS);

  it.each(REPORTED.map(titled))('%s is reported in %s: %s', (rule, _path, _text, fixture) => {
    expect(found.get(fixture)).toContain(rule);
  });

  it.each(ALLOWED.map(titled))('%s allows in %s: %s', (_rule, _path, _text, fixture) => {
    expect(found.get(fixture)).toEqual([]);
  });
});
