// `npm run lint:words` reports each kind of fault, shown on a small repository.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createFixtureProject, ROOT, runScript } from '../support/programs/fixture-project';

const LONG = 'word '.repeat(21);
const SCRIPT = join(ROOT, 'test/guards/words.mjs');
const FAULTS = `a.md:4: more than 100 columns
a.ts:2: more than 100 columns
commit: subject of more than 72 characters
commit: no body
commit: line 1: more than 100 columns in the body
5 texts to change.
`;

it('lint:words reports wide comments, pages and bodies, long subjects and a missing body', () => {
  const page = ['```', LONG, '```', LONG].join('\n');
  const files = { 'a.md': page, 'a.ts': `const a = '${LONG}';\na(); // ${LONG}` };
  const { folder, remove } = createFixtureProject(files);
  const commits = ['base', `Wide\n\n${LONG}`, 'a'.repeat(73), 'Good\n\nWhy.'];
  const commit =
    '-c user.name=a -c user.email=a -c commit.gpgsign=false commit -q --allow-empty -m';
  for (const args of [['init', '-q'], ...commits.map((message) => [...commit.split(' '), message])])
    execFileSync('git', args, { cwd: folder });
  const { stdout, exitCode } = runScript(SCRIPT, ['HEAD~3'], { cwd: folder });
  remove();
  expect([stdout.replaceAll(/commit \w+/g, 'commit'), exitCode]).toEqual([FAULTS, 1]);
});
