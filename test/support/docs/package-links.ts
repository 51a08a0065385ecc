// The links of the pages in a package: each leads to a page, and a section, of that package.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINK = /\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g;

/** The targets of the README, as written. */
export function linksIn(folder: string): readonly string[] {
  return [...textOf(join(folder, 'README.md')).matchAll(LINK)].map(([, target = '']) => target);
}

export function brokenLinksIn(folder: string): readonly string[] {
  const docs = readdirSync(join(folder, 'docs')).map((name) => join(folder, 'docs', name));
  return [join(folder, 'README.md'), ...docs].flatMap((page) =>
    [...textOf(page).matchAll(LINK)]
      .filter(([, target = '', section]) => !isThere(page, target, section))
      .map(([link]) => `${page} ${link}`),
  );
}

function isThere(page: string, target: string, section: string | undefined): boolean {
  const path = target === '' ? page : join(dirname(page), target);
  if (!existsSync(path)) return false;
  return section === undefined || sectionsOf(textOf(path)).includes(section);
}

/** As GitHub names the sections of a page. */
function sectionsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}
