// A partner's folder, as the guide has one make it: the page's files, the packed SDK, and the settings of a running sandbox.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processEnvironment } from '../../src/config';
import { freePorts } from '../../src/dev/stack/ports';
import { ROOT } from '../support/programs/fixture-project';
import { installPackedSdk } from '../support/programs/packed-sdk';
import { runProgram, type ProgramRun, type Surroundings } from './run-program';
import { readSnippets } from './snippets';

export type Settings = Readonly<Record<string, string | undefined>>;

export interface Workplace {
  /** The page's files and node_modules lie there. */
  readonly folder: string;
  /** What `source settings.sh` makes of the environment. */
  readonly settings: Settings;
  /** Where the guide's partner server may listen. */
  readonly serverPort: number;
  /** Runs a program there; `settings` go over those of the page. */
  run(
    command: readonly string[],
    given?: { readonly settings?: Settings; readonly input?: string },
  ): Promise<ProgramRun>;
}

/**
 * @param folder made here, for everything
 * @param localDir where the sandbox wrote its sandbox.json
 */
export async function openWorkplace(folder: string, localDir: string): Promise<Workplace> {
  const { project } = installPackedSdk(folder);
  for (const { file, text } of readSnippets()) writeFileSync(join(project, file), text);
  mkdirSync(join(project, 'classes'));
  const [serverPort = 0] = await freePorts(1);
  const basic = {
    ...processEnvironment(),
    LOCAL_DIR: localDir,
    CLONE: ROOT,
    PARTNER_SERVER_PORT: String(serverPort),
    // Java reads variables and arguments by the locale; secrets may hold any character.
    LC_ALL: 'C.UTF-8',
    // payctl would go to that one instead of the sandbox.
    DATABASE_URL: undefined,
  };
  const settings = { ...basic, ...(await sourcedSettings({ cwd: project, env: basic })) };
  return {
    folder: project,
    settings,
    serverPort,
    run: (command, { settings: more = {}, ...given } = {}) =>
      runProgram(command, { cwd: project, env: { ...settings, ...more }, ...given }),
  };
}

async function sourcedSettings(surroundings: Surroundings): Promise<Settings> {
  const { stdout } = await demandDone(
    ['bash', '-euo', 'pipefail', '-c', 'source settings.sh && env -0'],
    surroundings,
  );
  return variablesIn(stdout);
}

/** As `env -0` prints them. */
export function variablesIn(printed: string): Settings {
  const lines = printed.split('\0').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

async function demandDone(
  command: readonly string[],
  surroundings: Surroundings,
): Promise<ProgramRun> {
  const ran = await runProgram(command, surroundings);
  demand(ran.code === 0, `${command.join(' ')} failed`, ran);
  return ran;
}

/** @throws Error with the sentence and what the program printed */
export function demand(isSo: boolean, sentence: string, ran: ProgramRun): void {
  if (isSo) return;
  throw new Error(
    `${sentence}; it ended with ${String(ran.code)}:\n${ran.stdout}\n${ran.stderr}`.trim(),
  );
}

/** Compiled before it is run often; a script needs nothing. */
export interface Program {
  readonly language: string;
  readonly file: string;
  /** As the page says it is run. */
  readonly asPrinted: readonly string[];
  readonly compile: readonly string[];
  readonly compiled: readonly string[];
}

const TSX = pathToFileURL(join(ROOT, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs')).href;

/** How the guide has each kind of file run. `npx tsx` is the tsx that is installed here. */
export function programOf(file: string): Program {
  const [name = '', ending = ''] = file.split('.');
  const script = (language: string, command: readonly string[]) => {
    return { language, file, asPrinted: command, compile: [], compiled: command };
  };
  switch (ending) {
    case 'mts':
      return script('TypeScript', ['node', '--import', TSX, file]);
    case 'py':
      return script('Python', ['python3', file]);
    case 'sh':
      return script('shell', ['bash', file]);
    case 'go':
      return {
        ...script('Go', ['go', 'run', file]),
        compile: ['go', 'build', '-o', `${name}.program`, file],
        compiled: [`./${name}.program`],
      };
    case 'java':
      return {
        ...script('Java', ['java', file]),
        compile: ['javac', '-d', 'classes', file],
        compiled: ['java', '-cp', 'classes', name],
      };
    default:
      throw new Error(`the guide says nothing about files such as ${file}`);
  }
}

export async function compile(place: Workplace, program: Program): Promise<void> {
  if (program.compile.length === 0) return;
  const ran = await place.run(program.compile);
  demand(ran.code === 0, `${program.file} does not compile`, ran);
}
