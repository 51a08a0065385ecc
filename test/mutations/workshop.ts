// Where mistakes are made: a copy of the repository in a folder of its own, with the packages of this one. The working
// tree is only read.
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { ROOT } from '../../src/dev/tools';
import type { Mutation } from './mutation';

/** Nothing of these is tested, and some of it is large or secret. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.local', 'dist', 'coverage']);
const CONFIG = 'jest.mutations.config.cjs';

/** All tests as one project, whose servers run already: what they need to know is in the environment. */
const CONFIG_TEXT = `
const { projects, ...settings } = require('./jest.config.cjs');
const { globalSetup, globalTeardown, displayName, ...project } = projects.find(({ globalSetup }) => globalSetup);
module.exports = {
  ...project,
  testTimeout: settings.testTimeout,
  reporters: [],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  cacheDirectory: '<rootDir>/.local/jest',
};
`;

export interface Workshop {
  readonly folder: string;
  readonly jestConfig: string;
  /** @throws Error when a mistake cannot be made: its text does not stand in its file once */
  requireFitting(mutations: readonly Mutation[]): void;
  /** Makes the mistake while the work is done, and mends it. One at a time. */
  withMutation<Result>(mutation: Mutation, work: () => Promise<Result>): Promise<Result>;
  remove(): void;
}

export function openWorkshop(): Workshop {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'payment-intents-mutations-')));
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => relative(ROOT, path) === '' || !LEFT_OUT.has(basename(path)),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, CONFIG), CONFIG_TEXT);
  const read = ({ file }: Mutation) => readFileSync(join(folder, file), 'utf8');
  return {
    folder,
    jestConfig: join(folder, CONFIG),
    requireFitting(mutations) {
      for (const mutation of mutations) mutated(read(mutation), mutation);
    },
    async withMutation(mutation, work) {
      const file = join(folder, mutation.file);
      const text = read(mutation);
      writeFileSync(file, mutated(text, mutation));
      try {
        return await work();
      } finally {
        writeFileSync(file, text);
      }
    },
    remove() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** @throws Error when the text to replace stands there never, or more than once, or when nothing changes */
export function mutated(text: string, { name, file, find, replace }: Mutation): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0 || find === replace) {
    const times = text.split(find).length - 1;
    throw new Error(`"${name}": its text stands ${times} times in ${file}, not once:\n${find}`);
  }
  return before + replace + after;
}
