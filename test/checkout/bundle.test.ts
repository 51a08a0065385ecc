// The built checkout page: small enough for a slow network, in files whose names change with their
// content, and without anything that the policy of decision 30 forbids.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundleCheckout, type BuiltCheckout } from '../../src/dev/package/checkout-bundle';

/** The page, its program and its style sheet; the rest is loaded when it is needed. */
const BEFORE_SCANNER_MAX_BYTES = 25_000;
const ON_DEMAND = /^(scanner|decoder-worker)-/;

let built: BuiltCheckout;
beforeAll(async () => {
  built = await bundleCheckout();
});

/** What Chrome 87, Firefox 91 or Safari 15 lack. esbuild's target replaces syntax, no methods. */
const YOUNGER = [
  ...['at', 'hasOwn', 'findLast', 'findLastIndex', 'toSorted', 'toSpliced', 'toReversed'],
  ...['isWellFormed', 'toWellFormed', 'groupBy', 'withResolvers', 'randomUUID', 'canParse'],
];
const YOUNGER_CALL = new RegExp(
  `\\.(${YOUNGER.join('|')})\\(|\\bstructuredClone\\(|\\bAbortSignal\\.`,
  'g',
);

const page = () => Buffer.from(built.page.bytes).toString('utf8');
const sizes = (compress: (bytes: Uint8Array) => Buffer) =>
  [built.page, ...built.assets]
    .filter(({ name }) => !ON_DEMAND.test(name))
    .reduce((sum, { bytes }) => sum + compress(bytes).length, 0);

describe('the checkout', () => {
  it('is under 25 kB before the scanner is needed, by brotli and by gzip', () => {
    expect(sizes((bytes) => brotliCompressSync(bytes))).toBeLessThan(BEFORE_SCANNER_MAX_BYTES);
    expect(sizes((bytes) => gzipSync(bytes))).toBeLessThan(BEFORE_SCANNER_MAX_BYTES);
  });

  it('has exactly these files', () => {
    const names = built.assets.map(({ name }) => name.replace(/-[A-Z0-9]{8}\./, '.'));
    expect(names.sort()).toEqual([
      'decoder-worker.js',
      'icon.svg',
      'main.js',
      'scanner.js',
      'style.css',
    ]);
  });

  it('calls no method that its oldest browsers lack', () => {
    const programs = built.assets.filter(({ name }) => name.endsWith('.js'));
    const called = programs.flatMap(({ bytes }) =>
      [...Buffer.from(bytes).toString('utf8').matchAll(YOUNGER_CALL)].map(([call]) => call),
    );
    expect(called).toEqual([]);
  });

  it('has the same names when it is built again', async () => {
    const again = await bundleCheckout();
    expect(again.assets.map(({ name }) => name)).toEqual(built.assets.map(({ name }) => name));
  });

  it('loads one file in its page, outside of noscript', () => {
    const withoutNoscript = page().replaceAll(/<noscript>[^]*?<\/noscript>/g, '');
    const named = [...withoutNoscript.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
    expect(named).toEqual([expect.stringMatching(/^\/flow\/assets\/main-[A-Z0-9]{8}\.js$/)]);
  });

  it('has no script, style or handler in its page', () => {
    expect(page()).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
  });

  it('contains no URL of another host', () => {
    const text = [built.page, ...built.assets]
      .map(({ bytes }) => Buffer.from(bytes).toString('utf8'))
      .join('\n')
      // The SVG namespace is a name that is never fetched.
      .replaceAll('http://www.w3.org/2000/svg', '');
    expect(text.match(/(?:https?|wss?):\/\/[^"'`\s]+/g)).toBeNull();
  });

  it('never creates markup from text', () => {
    const text = built.assets
      .filter(({ name }) => !name.startsWith('decoder-worker'))
      .map(({ bytes }) => Buffer.from(bytes).toString('utf8'))
      .join('\n');
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/);
  });
});
