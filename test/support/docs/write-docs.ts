// `npm run docs:write`: writes the generated parts of the documentation into their pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, GENERATED_DOCS } from './generated-docs';

for (const generated of GENERATED_DOCS) {
  const file = join(__dirname, '..', '..', '..', generated.file);
  writeFileSync(file, compare(readFileSync(file, 'utf8'), generated).updated);
}
