// Generated parts of the documentation are current, and its references are right.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, GENERATED_DOCS } from '../support/docs/generated-docs';

const ROOT = join(__dirname, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
/** Folders whose comments cite pages. */
const SOURCES = ['src', 'api', 'workflows', 'activities'];
/** Ignores the padding that Prettier adds to tables. */
const unpadded = (text: string) =>
  text
    .replace(/ +/g, ' ')
    .replace(/\|[ |-]+\|\n/g, '')
    .trim();

describe('the documentation', () => {
  it.each(GENERATED_DOCS)('$file says what the code says ($name)', (generated) => {
    const { found } = compare(read(generated.file), generated);
    expect(unpadded(found)).toBe(unpadded(generated.text));
  });

  it('has its commands in code blocks, a line each', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pagesIn('docs')];
    const fences = pages.flatMap((page) => {
      const found = read(page).match(/^ *`{3}.*$/gm) ?? [];
      return found.map((fence, index) => ({ page, fence: fence.trim(), isEnd: index % 2 === 1 }));
    });
    expect(fences.length).toBeGreaterThan(50);
    const isRight = ({ fence, isEnd }: { fence: string; isEnd: boolean }) =>
      isEnd ? fence === '```' : /^```(\w+( [\w.-]+)?)?$/.test(fence);
    expect(fences.filter((one) => !isRight(one))).toEqual([]);
  });

  it('names only files that exist', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/partner-guide.md'];
    const named = pages.flatMap((page) =>
      [
        ...read(page).matchAll(/`((?:src|api|workflows|activities|test|docs)\/[\w./-]+\.\w+)`/g),
      ].map((match) => match[1] ?? ''),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => !isThere(file))).toEqual([]);
  });

  it('has a record for every decision that a comment cites', () => {
    const records = readdirSync(join(ROOT, 'docs/decisions')).map((name) =>
      Number(name.slice(0, 4)),
    );
    const cited = SOURCES.flatMap((folder) => textsIn(folder).flatMap(decisionsCitedIn));
    expect(cited.length).toBeGreaterThan(20);
    expect(cited.filter((decision) => !records.includes(decision))).toEqual([]);
  });

  it('has the sections of the protocol that a comment cites', () => {
    const cited = ['test', ...SOURCES].flatMap((folder) =>
      textsIn(folder).flatMap(protocolCitedIn),
    );
    expect(cited.length).toBeGreaterThan(40);
    expect(cited.filter((section) => !PROTOCOL.has(section))).toEqual([]);
  });

  it('has the sections of architecture that a comment cites by their titles', () => {
    const cited = SOURCES.flatMap((folder) => textsIn(folder).flatMap(titlesCitedIn));
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter((title) => !TITLES.has(title))).toEqual([]);
  });

  it.each([
    ['on one line', '// It waits (architecture, section 3, "Nowhere").'],
    ['over two lines', '// It waits (architecture, section 3,\n// "Nowhere").'],
    ['inside a title', '/**\n * It waits (architecture, section 3, "No\n * where").\n */'],
  ])('reports a missing section that is cited %s', (_where, comment) => {
    const [cited = ''] = titlesCitedIn(comment);
    expect(cited).toMatch(/^3, "No ?where"$/);
    expect(TITLES.has(cited)).toBe(false);
  });
});

/** Titles in the form of citations: `3, "Settlement"`. */
const TITLES = new Set(
  read('docs/architecture.md')
    .split(/^## (?=\d)/m)
    .flatMap((section) =>
      [...section.matchAll(/^### (.+)$/gm)].map(
        ([, title = '']) => `${section.charAt(0)}, "${title}"`,
      ),
    ),
);

/** Section numbers: `3`, `3.4`. */
const PROTOCOL = new Set(
  [...read('docs/protocol.md').matchAll(/^(?:## )?(\d+(?:\.\d+)?)\. /gm)].map(
    ([, cited = '']) => cited,
  ),
);

/** @returns all section numbers of a citation such as `protocol 3.4 and 4.7` */
function protocolCitedIn(text: string): readonly string[] {
  const inOneLine = text.replace(/\n\s*(?:\/\/|\*|--) ?/g, ' ');
  return [...inOneLine.matchAll(/\b[Pp]rotocol ((?:\d+(?:\.\d+)?(?:, | and )?)+)/g)].flatMap(
    ([, cited = '']) => cited.match(/\d+(?:\.\d+)?/g) ?? [],
  );
}

function titlesCitedIn(text: string): readonly string[] {
  const inOneLine = text.replace(/\n\s*(?:\/\/|\*|--) ?/g, ' ');
  return [...inOneLine.matchAll(/architecture, section (\d, "[^"]+")/g)].map(
    ([, cited = '']) => cited,
  );
}

function isThere(file: string): boolean {
  try {
    read(file);
    return true;
  } catch {
    return false;
  }
}

/** The Markdown pages in a folder, by their paths from the root. */
function pagesIn(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

function textsIn(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.(ts|sql)$/.test(file)).map((file) => read(join(folder, file)));
}

function decisionsCitedIn(text: string): readonly number[] {
  return [...text.matchAll(/decisions? (\d{1,4})/g)].map((match) => Number(match[1]));
}
