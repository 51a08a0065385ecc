// `npm run lint:words` still finds each kind of fault, shown on small repositories.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createFixtureProject, ROOT, runScript } from '../support/programs/fixture-project';

type Files = Readonly<Record<string, string>>;

const SCRIPT = join(ROOT, 'test/guards/words.mjs');
const GOOD_MESSAGE = 'Reject confirm signals without an operator\n\nThe audit trail needs one.';
const NO_FINDINGS = '0 words, 0 lines and 0 commits to change.\n';
const WORD = 'told';
const TEXT = `It is ${WORD}.`;
const LONG = 'word '.repeat(21);

/** @param messages of commits; the first one is the base, which is not checked */
function check(files: Files, messages: readonly string[] = ['base']) {
  const { folder, remove } = createFixtureProject(files);
  const git = (...args: readonly string[]) => {
    const identity = [
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.com',
      '-c',
      'commit.gpgsign=false',
    ];
    execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'pipe' });
  };
  try {
    git('init', '--quiet');
    messages.forEach((message, index) => {
      git('commit', '--quiet', '--allow-empty', '--message', message);
      if (index === 0) git('tag', 'base');
    });
    return runScript(SCRIPT, ['--base', 'base'], { cwd: folder });
  } finally {
    remove();
  }
}

const linesOf = (stdout: string) => stdout.trimEnd().split('\n').slice(0, -1);

it('reports nothing for plain comments, pages and commits', () => {
  const files = {
    'src/a.ts': '// Logs the reason. Who may confirm? Only an operator.\nconst told = `nobody`;\n',
    'docs/a.md': 'A short page.\n',
  };
  expect(check(files, ['base', GOOD_MESSAGE])).toMatchObject({ exitCode: 0, stdout: NO_FINDINGS });
});

it.each([
  ['a line comment', 'src/a.ts', '// It is told.', 'told'],
  ['a comment behind code', 'api/a.mjs', `run(); // ${TEXT}`, WORD],
  ['a doc comment', 'workflows/a.ts', '/** It is told. */', 'told'],
  ['the second line of a block', 'activities/a.ts', '/*\n * It is told.\n */', 'told'],
  ['SQL', 'src/a.sql', '-- Nobody’s row.', 'Nobody’s'],
  ['YAML', 'api/a.yaml', '# The event is owed.', 'owed'],
  ['a shell script', '.ci/run', 'ls # The sweep.', 'sweep'],
  ['an opening', 'test/a.ts', '// It waits. Who asks again, waits too.', 'Who …'],
  ['an opening of a file', 'src/a.ts', '// What is stored, is kept.', 'What is …'],
])('reports a word in %s', (_where, file, text, word) => {
  const { exitCode, stdout } = check({ [file]: `${text}\n` });
  const line = text.startsWith('/*\n') ? 2 : 1;
  expect(linesOf(stdout)).toEqual([expect.stringContaining(`${file}:${line}: ${word} -> use `)]);
  expect(exitCode).toBe(1);
});

it.each([
  ['text that is no comment', 'src/a.ts', "const text = 'told';"],
  ['a URL', 'src/a.ts', "const url = 'http://told';"],
  ['the payctl command settle-owed', 'src/a.ts', '// Run settle-owed.'],
  ['inline code', 'src/a.ts', '// The label is `told`.'],
  ['a page', 'docs/a.md', 'It is told.'],
])('reports no word in %s', (_where, file, text) => {
  expect(check({ [file]: `${text}\n` }).stdout).toBe(NO_FINDINGS);
});

it.each([
  ['a comment', 'src/a.ts', `// ${LONG}`],
  ['the prose of a page', 'docs/a.md', LONG],
  ['a table', 'README.md', `| ${LONG}|`],
])('reports a line over 100 columns in %s', (_where, file, text) => {
  const { exitCode, stdout } = check({ [file]: `${text}\n` });
  expect(linesOf(stdout)).toEqual([expect.stringMatching(/:1: \d+ columns -> use at most 100$/)]);
  expect(exitCode).toBe(1);
});

it.each([
  ['code', 'src/a.ts', `const a = '${LONG}';`],
  ['a line with a URL', 'docs/a.md', `https://a.example ${LONG}`],
  ['a code block', 'docs/a.md', `\`\`\`sh\n${LONG}\n\`\`\``],
  ['a generated part', 'docs/a.md', `<!-- codes: generated -->\n${LONG}\n<!-- /codes -->`],
  ['a generated page', 'docs/configuration.md', LONG],
])('allows a line over 100 columns in %s', (_where, file, text) => {
  expect(check({ [file]: `${text}\n` }).stdout).toBe(NO_FINDINGS);
});

it('checks prose again behind a code block and a generated part', () => {
  const page = `\`\`\`\n\`\`\`\n<!-- a: b -->\n<!-- /a -->\n${LONG}\n`;
  expect(check({ 'a.md': page }).stdout).toContain('a.md:5: ');
});

const HOME_PATH = ['', 'home', 'ann', 'log.'].join('/');

it.each([
  ['a long subject', `${'a'.repeat(73)}\n\nWhy.`, 'subject of 73'],
  ['a full stop', 'Reject it.\n\nWhy.', 'full stop'],
  ['no body', 'Reject it', 'no body'],
  ['a path of a machine', `Reject it\n\nSee ${HOME_PATH}`, HOME_PATH],
])('reports a commit with %s, after the base commit', (_what, message, fault) => {
  const { exitCode, stdout } = check({}, [message, GOOD_MESSAGE, message]);
  expect(linesOf(stdout)).toEqual([expect.stringMatching(`^commit \\w+: ${fault}`)]);
  expect(exitCode).toBe(1);
});

it('prints that commits are not checked where the base commit is missing', () => {
  const { folder, remove } = createFixtureProject({});
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  const { exitCode, stdout } = runScript(SCRIPT, [], { cwd: folder });
  remove();
  expect(linesOf(stdout)).toEqual([expect.stringMatching(/^Commits are not checked: /)]);
  expect(exitCode).toBe(0);
});
