// The pages of a package: its README, the partner guide and the protocol. Their links work there:
// one to a page that the package lacks becomes plain text.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from '../tools';

const GUIDE = ['docs/partner-guide.md', 'docs/protocol.md'].map((page) => [page, page] as const);
/** A link to a file; an address and a section of the same page stay as they are. */
const LINK = /\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g;

/** @param readme becomes the README of the package */
export function writePages(folder: string, readme: string): void {
  const pages = new Map([[readme, 'README.md'], ...GUIDE]);
  for (const [source, name] of pages) {
    const text = readFileSync(join(ROOT, source), 'utf8');
    const linked = text.replaceAll(LINK, (_, words: string, target: string, section = '') => {
      const to = pages.get(posix.join(posix.dirname(source), target));
      if (to === undefined) return words;
      return `[${words}](${posix.relative(posix.dirname(name), to)}${String(section)})`;
    });
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), linked);
  }
}
