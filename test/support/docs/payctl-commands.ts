// The payctl commands that pages of docs name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../programs/fixture-project';

/** Inline code, also over two lines, and lines of code blocks. */
const COMMAND = /`(?:[A-Z_]+=\S+ )?(payctl [^`]+)`|^ *(payctl .+?)(?: +#.*)?$/gm;

/** In the order of the pages, each once. */
export function payctlCommandsOf(...pages: readonly string[]): readonly string[] {
  const named = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(COMMAND)].map(([, inline, line]) =>
      (inline ?? line ?? '').replaceAll(/\s+/g, ' '),
    ),
  );
  return [...new Set(named)].filter((text) => !/NOUN|--help|…|\.\.\./.test(text));
}

/** Its words after `payctl`, with values for placeholders. Quoted words stay one. */
export function wordsOf(
  command: string,
  values: Readonly<Record<string, string>>,
): readonly string[] {
  const words = command.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.slice(1).map((word) => {
    const plain = word.replaceAll(/["'[\]]/g, '');
    return values[word] ?? values[plain] ?? plain;
  });
}
