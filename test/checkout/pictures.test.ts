// docs/checkout shows the screens of the checkout that are listed, and no other.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_CODES } from '../browser/scanned-codes';
import { PICTURES } from '../browser/screens';

const FOLDER = join(__dirname, '..', '..', 'docs', 'checkout');
const PICTURE_MAX_BYTES = 80_000;

describe('the pictures of the checkout', () => {
  const stored = readdirSync(FOLDER).filter((name) => name.endsWith('.png'));

  it('are those that the browser tests write', () => {
    expect(stored.sort()).toEqual(PICTURES.map((name) => `${name}.png`).sort());
  });

  it('are small', () => {
    const large = stored.filter((name) => statSync(join(FOLDER, name)).size > PICTURE_MAX_BYTES);
    expect(large).toEqual([]);
  });

  it('are each shown on the page', () => {
    const page = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    expect(PICTURES.filter((name) => !page.includes(`(${name}.png)`))).toEqual([]);
    expect(Object.values(SAMPLE_CODES).filter((code) => !page.includes(code))).toEqual([]);
  });
});
