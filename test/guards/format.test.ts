// Prettier still reports a text with another layout.
import { join } from 'node:path';
import { ROOT, runScript } from '../support/programs/fixture-project';

const isFormatted = (text: string) =>
  runScript(
    join(ROOT, 'node_modules/prettier/bin/prettier.cjs'),
    ['--check', '--stdin-filepath', 'src/domain/money.ts'],
    { input: text },
  ).exitCode === 0;

describe('prettier', () => {
  it('accepts our layout', () => {
    expect(isFormatted("export const currency = 'usd';\n")).toBe(true);
  });

  it.each([
    ['double quotes', 'export const currency = "usd";\n'],
    ['a line over 100 columns', `export const text = [${"'twelve', ".repeat(12)}'end'];\n`],
  ])('reports %s', (_name, text) => {
    expect(isFormatted(text)).toBe(false);
  });
});
