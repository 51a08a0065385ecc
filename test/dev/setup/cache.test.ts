// The cache folder of the setup: a tool that has lost files there is made anew.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../../support/programs/fixture-project';
import { withFolder } from './scripts';

const CACHE = pathToFileURL(join(ROOT, 'src/dev/setup/cache.mjs')).href;

/** Puts a folder with one file there, by a child program: Jest cannot load ES modules. */
async function putFolder(target: string): Promise<void> {
  const program = `
    import { mkdir, writeFile } from 'node:fs/promises';
    import { putIntoCache } from ${JSON.stringify(CACHE)};
    await putIntoCache(${JSON.stringify(target)}, async (scratch) => {
      await mkdir(scratch + '/made');
      await writeFile(scratch + '/made/program', 'whole');
      return scratch + '/made';
    });`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
}

it.each([
  ['an empty cache', []],
  ['a cache whose folder has lost its program', ['library']],
])('puts a whole folder into %s, and leaves no other', (_what, before) =>
  withFolder(async (folder) => {
    const target = join(folder, 'postgres');
    for (const name of before) {
      mkdirSync(target);
      writeFileSync(join(target, name), 'of before');
    }
    await putFolder(target);
    expect(readFileSync(join(target, 'program'), 'utf8')).toBe('whole');
    expect([readdirSync(folder), readdirSync(target)]).toEqual([['postgres'], ['program']]);
  }),
);
