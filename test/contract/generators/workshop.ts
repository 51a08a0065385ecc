// Makes, compiles and calls one generated client, in a folder of its own.
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processEnvironment } from '../../../src/config/config';
import { runProgram, type ProgramRun } from '../../guide/run-program';
import { readSnippets } from '../../guide/snippets';
import { ROOT } from '../../support/programs/fixture-project';
import { installed } from '../packages';
import type { Command, Recipe } from './recipe';

export const GENERATORS = join(ROOT, 'test', 'contract', 'generators');

/** Where the guide's program begins, below its functions. Its Java is a class, used as it is. */
const GUIDE_MAIN = /^(const \[command|if sys\.argv|func main\()/m;

export type Settings = Readonly<Record<string, string>>;

/** How far a client got; `fault` is what the step after that printed. */
export interface Outcome {
  readonly recipe: Recipe;
  readonly isCompiled: boolean;
  readonly isCalled: boolean;
  readonly fault?: string;
}

interface Place {
  /** Is created. */
  readonly folder: string;
  /** The environment of the call. */
  readonly settings: Settings;
  /** What the call prints. */
  readonly expected: RegExp;
}

export async function tryRecipe(recipe: Recipe, place: Place): Promise<Outcome> {
  const { folder, settings, expected } = place;
  const tools = await installTools(recipe);
  prepare(recipe, folder);
  // Programs import packages from beside themselves.
  if (tools['npm'] !== undefined)
    symlinkSync(join(tools['npm'], 'node_modules'), join(folder, 'node_modules'));
  const { generate, compile, call } = recipe.steps(tools);
  const env = { ...processEnvironment(), LC_ALL: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' };
  for (const command of [generate, ...compile]) {
    const ran = await runProgram(command, { cwd: folder, env });
    if (ran.code !== 0)
      return { recipe, isCompiled: false, isCalled: false, fault: faultOf(command, ran) };
  }
  const called = await runProgram(call, { cwd: folder, env: { ...env, ...settings } });
  if (called.code === 0 && expected.test(called.stdout))
    return { recipe, isCompiled: true, isCalled: true };
  return { recipe, isCompiled: true, isCalled: false, fault: faultOf(call, called) };
}

function prepare(recipe: Recipe, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(recipe.files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (const [source, name] of Object.entries(recipe.programs))
    copyFileSync(join(GENERATORS, 'programs', source), join(folder, name));
  writeFileSync(join(folder, recipe.signing), signingOf(recipe.signing));
}

/** The functions of the guide's program that signs. */
export function signingOf(file: string): string {
  const text = readSnippets().find((snippet) => snippet.file === file)?.text ?? '';
  if (file.endsWith('.java')) return text;
  const end = text.search(GUIDE_MAIN);
  if (end < 0) throw new Error(`${file} of the guide has no main program below its functions.`);
  const functions = text.slice(0, end);
  return file.endsWith('.mts') ? `${functions}export { sign };\n` : functions;
}

async function installTools(recipe: Recipe): Promise<Readonly<Record<string, string>>> {
  const tools: Record<string, string> = {};
  for (const [name, packages] of Object.entries(recipe.tools))
    tools[name] = await installed(packages);
  return tools;
}

function faultOf(command: Command, { code, stdout, stderr }: ProgramRun): string {
  return `${command.join(' ')}; exit code ${String(code)}:\n${stdout}\n${stderr}`.trim();
}
