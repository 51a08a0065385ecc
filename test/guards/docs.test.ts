// "State diagram and environment table are generated and checked for drift": facts in prose are proved.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, GENERATED_DOCS } from '../support/generated-docs';

const ROOT = join(__dirname, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
/** Prettier pads tables: what it adds is not what a page says. */
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

  it('names no file that is not there', () => {
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
    const cited = ['src', 'api', 'workflows', 'activities'].flatMap(citedIn);
    expect(cited.length).toBeGreaterThan(20);
    expect(cited.filter((decision) => !records.includes(decision))).toEqual([]);
  });
});

function isThere(file: string): boolean {
  try {
    read(file);
    return true;
  } catch {
    return false;
  }
}

function citedIn(folder: string): readonly number[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(ts|sql)$/.test(file))
    .flatMap((file) => [...read(join(folder, file)).matchAll(/decisions? (\d{1,4})/g)])
    .map((match) => Number(match[1]));
}
