// Each strict flag of tsconfig.json still reports its error.
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/programs/fixture-project';

const FIXTURE = join(ROOT, 'src/domain/fixture.ts');

/** Each flag with its error code and a text that has only that error. */
const FAULTS = [
  ['strict', 2322, 'export const a: string = null;'],
  ['strict (no implicit any)', 7006, 'export const a = (b) => b;'],
  ['noUncheckedIndexedAccess', 2322, 'export const a = (b: number[]): number => b[0];'],
  ['exactOptionalPropertyTypes', 2375, 'export const a: { b?: number } = { b: undefined };'],
  [
    'noImplicitOverride',
    4114,
    'class A { run() { return 1; } }\nexport class B extends A { run() { return 2; } }',
  ],
  ['noImplicitReturns', 7030, 'export function a(b: number) { if (b > 1) { return 1; } }'],
  [
    'noFallthroughCasesInSwitch',
    7029,
    "export function a(b: string) { let c = 0; switch (b) { case 'x': c += 1; default: c += 2; } return c; }",
  ],
  [
    'noPropertyAccessFromIndexSignature',
    4111,
    'export const a = (b: Record<string, number>) => b.amount;',
  ],
  ['noUnusedLocals', 6133, 'const a = 1;\nexport const b = 2;'],
  ['noUnusedParameters', 6133, 'export const a = (b: number) => 1;'],
  ['allowUnreachableCode', 7027, 'export function a() { return 1; return 2; }'],
  ['erasableSyntaxOnly', 1294, 'export enum A { B }'],
  ['isolatedModules', 1205, "export { IntentId } from './ids';"],
] as const;

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) =>
    ts.sys.readFile(path),
  ) as {
    config: object;
  };
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
  return { ...parsed.options, types: [] };
}

/** Compiles all texts as files of one program, because loading the standard library is slow. */
function compile(texts: readonly string[]): readonly (readonly number[])[] {
  const options = readOptions();
  const paths = texts.map((_text, index) => FIXTURE.replace('fixture', `fixture-${index}`));
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  const textOf = (path: string) => texts[paths.indexOf(path)];
  host.readFile = (path) => textOf(path) ?? readFile(path);
  host.fileExists = (path) => textOf(path) !== undefined || fileExists(path);
  const program = ts.createProgram(paths, options, host);
  return paths.map((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ code }) => code),
  );
}

describe('tsc', () => {
  let found: readonly (readonly number[])[];

  beforeAll(() => {
    found = compile([...FAULTS.map(([, , text]) => text), 'export const a = 1;']);
  });

  it.each(FAULTS.map(([flag, code], index) => [flag, code, index] as const))(
    '%s: error %i',
    (_flag, code, index) => {
      expect(found[index]).toEqual([code]);
    },
  );

  it('reports no error for a right text', () => {
    expect(found.at(-1)).toEqual([]);
  });
});
