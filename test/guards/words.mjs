// `npm run lint:words` checks the words of comments, the width of comments and Markdown, and commit
// messages. Usage: node test/guards/words.mjs [--base COMMIT], at the root of the repository.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** This commit and its ancestors are not checked. */
const BASE_COMMIT = '54e632caed14ee23a155781fbaee7b0fd7423ff1';
const COLUMNS_MAX = 100;
const SUBJECT_MAX = 72;
/** The comments of files in these folders and at the root are checked. */
const SOURCES = /^(?:(?:src|workflows|activities|api|test|\.ci)\/|[^/]+$)/;
/** A generated page, and one with rows of pictures. */
const UNBOUNDED_PAGES = ['docs/configuration.md', 'docs/checkout/README.md'];

const AN_ACTOR = 'the caller, the worker or the operator';
const A_SUBJECT = 'a sentence that begins with its subject';

/** Words that comments must not have, and what to write instead. */
const WORDS = [
  [/\b(?:told|tells)\b/i, 'notify, report, log or return'],
  [/\bwhoever\b/i, AN_ACTOR],
  [/\bnobody(?:['’]s)?\b/i, `${AN_ACTOR} with "no"; dummy for a stand-in`],
  [/(?<!-)\bowed\b/i, 'pending'],
  [/\bgathered\b/i, 'batched'],
  [/\bjudg(?:e|es|ed|ing)\b/i, 'verify, check or reconcile'],
  [/\bcontrary\b/i, 'amount mismatch'],
  [/\bsweeps?\b/i, 'poller'],
  [/\bpatience\b/i, 'timeout, deadline or retry window'],
  [/\bfenced\b/i, 'conditional on the attempt count'],
  [/\bstanding\b/i, 'current state'],
  [/\bg(?:ave|iven) up\b/i, 'exhausted, aborted or abandoned'],
  [/\bcomes? to an end\b/i, 'finish or exit'],
];
/** Openings of a sentence that leave its subject out. A question may begin so. */
const OPENINGS = /(?:^|[.!?] )(?:Who|Of those|What is|Where one is)\b(?![^.!]*\?)/;
/** Parts of a commit message that name a place: absolute paths and hosts. */
const COMMIT_PLACES = [/(?:^|\s)\/(?:home|root|tmp|var|work|Users)\/\S+/, /https?:\/\/\S+/];

/** How each kind of file writes comments. */
const STYLES = [
  { files: /\.(?:ts|mjs|cjs|js|css)$/, line: /(?:^|\s)\/\/(.*)$/, hasBlocks: true },
  { files: /\.sql$/, line: /(?:^|\s)--(.*)$/, hasBlocks: true },
  {
    files: /\.(?:ya?ml|sh|py|toml)$|^\.ci\/|(?:^|\/)Dockerfile$/,
    line: /(?:^|\s)#(?!!)(?:\s(.*))?$/,
    hasBlocks: false,
  },
];

const { base } = parseArgs({
  options: { base: { type: 'string', default: BASE_COMMIT } },
}).values;
const counts = { word: 0, width: 0, commit: 0 };

const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard');
if (files === undefined) print('Files are not checked: this folder is not a Git repository.');
for (const file of new Set(files?.split('\0')))
  if (file !== '' && existsSync(file)) checkFile(file);
checkCommits();
print(`${counts.word} words, ${counts.width} lines and ${counts.commit} commits to change.`);
process.exitCode = Object.values(counts).some((count) => count > 0) ? 1 : 0;

function checkFile(file) {
  const style = SOURCES.test(file) && STYLES.find((one) => one.files.test(file));
  const isPage = file.endsWith('.md') && !UNBOUNDED_PAGES.includes(file);
  if (!style && !isPage) return;
  const lines = readFileSync(file, 'utf8').split('\n');
  const proseOf = style ? commentsIn(lines, style) : proseIn(lines);
  proseOf.forEach((prose, index) => {
    if (prose === undefined) return;
    const place = `${file}:${index + 1}`;
    if (style) checkWords(place, prose.replaceAll(/`[^`]*`/g, '`…`'));
    checkWidth(place, lines[index]);
  });
}

/** @returns for each line the text of its comment, or undefined where it has none */
function commentsIn(lines, { line: pattern, hasBlocks }) {
  let isInBlock = false;
  return lines.map((line) => {
    const start = isInBlock ? 0 : line.search(/(?<=^|\s)\/\*/);
    if (!isInBlock && (!hasBlocks || start < 0)) return textOf(pattern.exec(line));
    const block = line.slice(start);
    isInBlock = !block.includes('*/');
    return block.replace(/^[\s/*]+/, '').replace(/\*\/.*$/, '');
  });
}

function textOf(comment) {
  return comment === null ? undefined : (comment[1] ?? '').trim();
}

/** @returns for each line its text, or undefined in code blocks and in generated parts */
function proseIn(lines) {
  let end;
  return lines.map((line) => {
    if (end !== undefined) {
      if (end.test(line)) end = undefined;
      return undefined;
    }
    const [, fence, name] = /^\s*(?:(```+)|<!-- ([\w ]+): )/.exec(line) ?? [];
    if (fence !== undefined) end = new RegExp(`^\\s*${fence}`);
    if (name !== undefined) end = new RegExp(`<!-- /${name} -->`);
    return end === undefined ? line : undefined;
  });
}

function checkWords(place, text) {
  for (const [pattern, instead] of WORDS) {
    const [word] = pattern.exec(text) ?? [];
    if (word !== undefined) report('word', place, `${word} -> use ${instead}`);
  }
  const [opening] = OPENINGS.exec(text) ?? [];
  if (opening !== undefined) {
    report('word', place, `${opening.replace(/^[.!?] /, '')} … -> use ${A_SUBJECT}`);
  }
}

/** A URL cannot be broken, so its line may be longer. */
function checkWidth(place, line) {
  const columns = [...line].length;
  if (columns <= COLUMNS_MAX || /https?:\/\/\S/.test(line)) return;
  report('width', place, `${columns} columns -> use at most ${COLUMNS_MAX}`);
}

function checkCommits() {
  const log = git('log', '--no-merges', '-z', '--format=%h%n%s%n%b', `${base}..HEAD`);
  if (log === undefined) {
    print(`Commits are not checked: this clone does not have the commit ${base.slice(0, 7)}.`);
    return;
  }
  for (const commit of log.split('\0').filter((text) => text !== '')) {
    const [hash, ...message] = commit.split('\n');
    for (const fault of faultsOfMessage(message)) report('commit', `commit ${hash}`, fault);
  }
}

function faultsOfMessage([subject, ...body]) {
  const { length } = [...subject];
  const places = COMMIT_PLACES.flatMap(
    (pattern) => pattern.exec([subject, ...body].join('\n'))?.[0].trim() ?? [],
  );
  const faults = places.map((place) => `${place} -> use a text about the change alone`);
  if (length > SUBJECT_MAX)
    faults.push(`subject of ${length} -> use at most ${SUBJECT_MAX} characters`);
  if (subject.endsWith('.')) faults.push('full stop after the subject -> use none');
  if (body.join('').trim() === '') faults.push('no body -> use one that says why');
  return faults;
}

/** @returns what git printed, or undefined where it fails */
function git(...args) {
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 28 };
    return execFileSync('git', args, options);
  } catch {
    return undefined;
  }
}

function report(kind, place, text) {
  counts[kind] += 1;
  print(`${place}: ${text}`);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
