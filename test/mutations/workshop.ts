// Copies the repository into a temporary folder and applies mutations there, one at a time. The
// working tree is only read; the copy links its node_modules.
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

/** No test needs these folders, and some are large or hold secrets. */
const NOT_COPIED = new Set(['.git', 'node_modules', '.local', 'dist', 'coverage']);
const CONFIG = 'jest.mutations.config.cjs';

/**
 * One Jest project of all tests. Its servers run already; the environment holds their addresses.
 */
const CONFIG_TEXT = `
const { projects } = require('./jest.config.cjs');
const { globalSetup, globalTeardown, displayName, ...project } = projects.find(({ globalSetup }) => globalSetup);
module.exports = {
  ...project,
  // A mutation may let its test hang.
  testTimeout: 60_000,
  reporters: [],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  cacheDirectory: '<rootDir>/.local/jest',
};
`;

export interface Workshop {
  readonly folder: string;
  readonly jestConfig: string;
  /** @throws Error when the find text of a mutation does not occur in its file exactly once */
  requireFitting(mutations: readonly Mutation[]): void;
  /**
   * Applies the mutation, does the work and restores the file. Call it for one mutation at a time.
   */
  withMutation<Result>(mutation: Mutation, work: () => Promise<Result>): Promise<Result>;
  /** What replaces a function or trigger of the migrations in each test database; else empty. */
  mutatedSql(): string;
  remove(): void;
}

export function createWorkshop(): Workshop {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'payment-intents-mutations-')));
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => relative(ROOT, path) === '' || !NOT_COPIED.has(basename(path)),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, CONFIG), CONFIG_TEXT);
  let sql = '';
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
      sql = mutation.file.endsWith('.sql') ? mutatedSql(text, mutation) : '';
      try {
        return await work();
      } finally {
        writeFileSync(file, text);
      }
    },
    mutatedSql: () => sql,
    remove() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * The function or trigger of a migration that the mutation changes, as SQL that replaces it: all
 * mutations share one template database, made from the real migrations.
 */
export function mutatedSql(text: string, mutation: Mutation): string {
  const changed = mutated(text, mutation);
  const at = text.indexOf(mutation.find);
  const from = Math.max(
    ...['function', 'trigger'].map((what) => changed.lastIndexOf(`\ncreate ${what}`, at)),
  );
  const [statement = ''] =
    /create (?:function[^]*?\$\$[^]*?\$\$;|trigger[^]*?;)/.exec(changed.slice(from)) ?? [];
  return statement.replace('create ', 'create or replace ');
}

/** @throws Error when the find text does not occur exactly once, or when nothing would change */
export function mutated(text: string, { name, file, find, replace }: Mutation): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0 || find === replace) {
    const times = text.split(find).length - 1;
    const found = `"${name}": its find text occurs ${times} times in ${file}`;
    throw new Error(`${found}, and must occur once and be changed:\n${find}`);
  }
  return before + replace + after;
}
