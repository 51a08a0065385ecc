// Makes a partner's folder as the guide describes it: the page's files, the packed SDK, and the
// settings of a running sandbox.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processEnvironment } from '../../src/config/config';
import { freePorts } from '../../src/dev/stack/ports';
import { ROOT } from '../support/programs/fixture-project';
import { PACKED_PROGRAM } from '../support/programs/npm-start';
import { installPackedSdk } from '../support/programs/packed-sdk';
import { runProgram, type ProgramRun, type Surroundings } from './run-program';
import { readSnippets } from './snippets';

export type Settings = Readonly<Record<string, string | undefined>>;

export interface Workplace {
  /** Holds the page's files and node_modules. */
  readonly folder: string;
  /** The environment after `source settings.sh`. */
  readonly settings: Settings;
  /** A free port for the guide's partner server. */
  readonly serverPort: number;
  /** Runs a program in the folder. `settings` override those of the page. */
  run(
    command: readonly string[],
    given?: { readonly settings?: Settings; readonly input?: string },
  ): Promise<ProgramRun>;
}

/**
 * @param folder is created
 * @param localDir holds the sandbox.json of the running sandbox
 * @param packed a folder in which the sandbox is installed; without it, the guide's CLONE is used
 */
export async function openWorkplace(
  folder: string,
  localDir: string,
  packed?: string,
): Promise<Workplace> {
  const { project } = installPackedSdk(folder);
  for (const { file, text } of readSnippets()) writeFileSync(join(project, file), text);
  mkdirSync(join(project, 'classes'));
  if (packed !== undefined) {
    symlinkSync(join(packed, PACKED_PROGRAM), join(project, PACKED_PROGRAM));
  }
  const [serverPort = 0] = await freePorts(1);
  const basic = {
    ...processEnvironment(),
    LOCAL_DIR: localDir,
    CLONE: packed === undefined ? ROOT : undefined,
    PARTNER_SERVER_PORT: String(serverPort),
    // Java decodes variables and arguments by the locale, and secrets may have any character.
    LC_ALL: 'C.UTF-8',
    // payctl would use that database instead of the sandbox.
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
  const { stdout } = await runOrThrow(
    ['bash', '-euo', 'pipefail', '-c', 'source settings.sh && env -0'],
    surroundings,
  );
  return variablesIn(stdout);
}

/** Parses the output of `env -0`. */
export function variablesIn(printed: string): Settings {
  const lines = printed.split('\0').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

async function runOrThrow(
  command: readonly string[],
  surroundings: Surroundings,
): Promise<ProgramRun> {
  const ran = await runProgram(command, surroundings);
  demand(ran.code === 0, `${command.join(' ')} failed`, ran);
  return ran;
}

/** Runs payctl as the guide does. @returns its standard output and then its errors */
export async function runPayctl(
  place: Workplace,
  args: readonly string[],
  { settings = {}, codes = [0] }: { settings?: Settings; codes?: readonly number[] } = {},
): Promise<string> {
  const command = ['bash', '-c', 'source settings.sh && payctl "$@"', 'bash', ...args];
  const ran = await place.run(command, { settings });
  demand(codes.includes(ran.code ?? -1), `payctl ${args.join(' ')} failed`, ran);
  return ran.stdout + ran.stderr;
}

/** @throws Error with the sentence and what the program printed */
export function demand(isSo: boolean, sentence: string, ran: ProgramRun): void {
  if (isSo) return;
  throw new Error(
    `${sentence}; exit code ${String(ran.code)}:\n${ran.stdout}\n${ran.stderr}`.trim(),
  );
}

/** A program that runs many times is compiled first. A script needs no compilation. */
export interface Program {
  readonly language: string;
  readonly file: string;
  /** The command in the page. */
  readonly asPrinted: readonly string[];
  readonly compile: readonly string[];
  readonly compiled: readonly string[];
}

const TSX = pathToFileURL(require.resolve('tsx/esm')).href;

/** @returns the commands of the guide for a file. `npx tsx` becomes the installed tsx. */
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
