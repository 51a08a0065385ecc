// `node install-packages.mjs npm|maven|go PACKAGE…` installs packages of a registry into a folder
// of the cache, once for all clones of a user, and prints that folder. It is plain Node, like the
// setup.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDir, exists, putIntoCache } from '../../src/dev/setup/cache.mjs';
import { SetupError, complain, step } from '../../src/dev/setup/progress.mjs';
import { run } from '../../src/dev/setup/run.mjs';

const INSTALL_MAX_MS = 10 * 60_000;
const COPY_JARS = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

const [, , kind = '', ...packages] = process.argv;
/** Each fills a folder with the packages and what they need. */
const KINDS = { npm: installByNpm, maven: installByMaven, go: installByGo };

try {
  process.stdout.write(`${await installed()}\n`);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  complain(`${packages.join(' ')} could not be installed by ${kind}: ${error.message}`);
  process.exitCode = 1;
}

async function installed() {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex');
  const target = join(cacheDir(), 'contract', `${kind}-${digest.slice(0, 16)}`);
  if (await exists(target)) return target;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  return step(`installing ${packages[0]} (${kind})`, () =>
    putIntoCache(target, async (scratch) => {
      const folder = join(scratch, 'tool');
      await mkdir(folder);
      await KINDS[kind](folder);
      return folder;
    }),
  );
}

/**
 * Without the packages' own scripts. A tool that asks for a later Node is installed all the same:
 * whether it works is what the caller tests. @param {string} folder
 */
async function installByNpm(folder) {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const flags = ['--engine-strict=false', ...quiet];
  await run('npm', ['install', ...flags, ...packages], options(folder));
}

/** The jars alone: what they need is listed too. @param {string} folder */
async function installByMaven(folder) {
  const dependencies = packages.map((artifact) => {
    const [groupId, artifactId, version] = artifact.split(':');
    return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`;
  });
  const project = [
    '<project><modelVersion>4.0.0</modelVersion><groupId>tools</groupId>',
    '<artifactId>tools</artifactId><version>1</version>',
    `<dependencies>${dependencies.join('')}</dependencies></project>`,
  ];
  await writeFile(join(folder, 'pom.xml'), project.join('\n'));
  const jars = [`-DoutputDirectory=${folder}`, `-DexcludeTransitive`];
  await run('mvn', ['--batch-mode', '--quiet', COPY_JARS, ...jars], options(folder));
}

/** One program, built in a module of its own. @param {string} folder */
async function installByGo(folder) {
  const [program = ''] = packages;
  await run('go', ['mod', 'init', 'tools'], options(folder));
  await run('go', ['get', program], options(folder));
  await run('go', ['build', '-o', 'program', program.split('@')[0] ?? ''], options(folder));
}

/** @param {string} cwd */
function options(cwd) {
  return { cwd, timeoutMs: INSTALL_MAX_MS };
}
