// `npm run lint:words` checks that comments, documents and the bodies of commits fit 100 columns,
// and that each commit has a subject of at most 72 characters and a body.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** This commit and its ancestors are not checked. */
const BASE_COMMIT = process.argv[2] ?? 'bec2ccc5c4a5cd5a24872a3f27d79afade55b6fc';
const SOURCES = /\.(?:[mc]?[jt]s|css|sql|ya?ml|sh|py|toml)$|^\.ci\/|Dockerfile$/;
const COMMENT = /^\s*\*\s|(?:^|\s)(?:\/\/|\/\*\*?|--|#)\s/;
/** A generated page, and one with rows of pictures. */
const WIDE_PAGES = ['docs/museum.md', 'docs/checkout/README.md'];
/** Code blocks and the generated parts of a page. */
const UNBOUNDED = /^ *(```+)[^]*?^ *\1|<!-- ([\w ]+): [^]*?<!-- \/\2 -->/gm;

const faults = [...git('ls-files', '-zco', '--exclude-standard').flatMap(ofFile), ...ofCommits()];
process.stdout.write([...faults, `${faults.length} texts to change.`, ''].join('\n'));
process.exitCode = faults.length > 0 ? 1 : 0;

function ofFile(file) {
  const isPage = file.endsWith('.md') && !WIDE_PAGES.includes(file);
  if (!existsSync(file) || !(isPage || SOURCES.test(file))) return [];
  let text = readFileSync(file, 'utf8');
  if (isPage) text = text.replace(UNBOUNDED, (part) => part.replace(/.+/g, ''));
  return wideIn(text, isPage ? /./ : COMMENT).map((fault) => `${file}:${fault}`);
}

/** A URL cannot be broken, so its line may be longer. */
function wideIn(text, pattern) {
  return text.split('\n').flatMap((line, index) => {
    const isWide = [...line].length > 100 && pattern.test(line) && !/https?:\/\//.test(line);
    return isWide ? [`${index + 1}: more than 100 columns`] : [];
  });
}

function ofCommits() {
  const log = git('log', '-z', '--no-merges', '--format=%h%n%s%n%b', `${BASE_COMMIT}..HEAD`);
  return log.flatMap((commit) => {
    const [, hash, subject, body] = /^(.*)\n(.*)\n([^]*)$/.exec(commit);
    const found = wideIn(body, /./).map((fault) => `line ${fault} in the body`);
    if ([...subject].length > 72) found.push('subject of more than 72 characters');
    if (body.trim() === '') found.push('no body');
    return found.map((fault) => `commit ${hash}: ${fault}`);
  });
}

/** A shallow clone does not have the base commit, and an archive is no repository. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) process.stdout.write(`Not all is checked: git ${args[0]} fails here.\n`);
  return (stdout ?? '').split('\0').filter(Boolean);
}
