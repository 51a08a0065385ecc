// `npm run docs:write`: writes the generated parts of the documentation into their pages, and the
// contract as JSON, for generators that do not resolve the aliases of YAML.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { compare, GENERATED_DOCS } from './generated-docs';

const ROOT = join(__dirname, '..', '..', '..');

for (const generated of GENERATED_DOCS) {
  const file = join(ROOT, generated.file);
  writeFileSync(file, compare(readFileSync(file, 'utf8'), generated).updated);
}

const contract: unknown = parse(readFileSync(join(ROOT, 'api', 'openapi.yaml'), 'utf8'));
writeFileSync(join(ROOT, 'api', 'openapi.json'), JSON.stringify(contract, null, 2));
