// Reads the programs of the partner guide: each block of docs/partner-guide.md that names a file is
// that file, so the page is the source (decision 118).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';

interface Snippet {
  readonly file: string;
  readonly text: string;
}

export const GUIDE = join(ROOT, 'docs', 'partner-guide.md');

/** A fence that is opened by a language and a file: "```python create_intent.py". */
const NAMED_BLOCK = /^```\w+ (\S+)\n([\s\S]*?)^```$/gm;

export function readSnippets(page = readFileSync(GUIDE, 'utf8')): readonly Snippet[] {
  return [...page.matchAll(NAMED_BLOCK)].map(([, file = '', text = '']) => ({ file, text }));
}
