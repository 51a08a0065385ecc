// Builds the checkout page from api/checkout/browser, the same way for `npm run build`, `npm start`
// and the tests: bundled, with content hashes in its file names, and compressed (decision 116).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, stop, type BuildOptions } from 'esbuild';
import { ROOT } from '../tools';

const SOURCES = join(ROOT, 'api', 'checkout', 'browser');
const PUBLIC_PATH = '/flow/assets';

/** An uncompressed file; writeCheckout also writes its compressed forms. */
interface BuiltFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface BuiltCheckout {
  readonly page: BuiltFile;
  readonly assets: readonly BuiltFile[];
}

const SHARED = {
  absWorkingDir: SOURCES,
  outdir: join(ROOT, 'dist'),
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  write: false,
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'silent',
  // The browsers of phones in use. An older one gets the page's noscript text or nothing, but no
  // page that works by halves.
  target: ['chrome87', 'firefox91', 'safari15'],
} as const satisfies BuildOptions;

/** Builds the other files first, since the program contains their hashed names. */
export async function bundleCheckout(): Promise<BuiltCheckout> {
  try {
    return await bundleAll();
  } finally {
    // The esbuild service process would run as long as this process.
    await stop();
  }
}

async function bundleAll(): Promise<BuiltCheckout> {
  const worker = await bundle({ entryPoints: ['scan/decoder-worker.ts'], format: 'iife' });
  const scanner = await bundle({
    entryPoints: ['scan/scanner.ts'],
    format: 'esm',
    define: { DECODER_WORKER_URL: JSON.stringify(urlOf(worker)) },
  });
  const style = await bundle({ entryPoints: ['style.css'] });
  const icon = await bundle({ entryPoints: ['icon.svg'], loader: { '.svg': 'copy' } });
  const main = await bundle({
    entryPoints: ['main.ts'],
    format: 'esm',
    define: {
      SCANNER_URL: JSON.stringify(urlOf(scanner)),
      STYLE_URL: JSON.stringify(urlOf(style)),
      ICON_URL: JSON.stringify(urlOf(icon)),
    },
  });
  const assets = [main, scanner, worker, style, icon];
  return { page: pageWith(main, style), assets };
}

/** Replaces the folder with the page and its files, each also compressed. */
export function writeCheckout(folder: string, { page, assets }: BuiltCheckout): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'assets'), { recursive: true });
  for (const { name, bytes } of [page, ...assets.map(inAssets)]) {
    writeFileSync(join(folder, name), bytes);
    writeFileSync(join(folder, `${name}.br`), brotli(bytes));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

/** Each build has one file. */
async function bundle(options: BuildOptions): Promise<BuiltFile> {
  const { outputFiles } = await build({ ...SHARED, ...options, write: false });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild has built nothing');
  return { name: basename(file.path), bytes: file.contents };
}

function urlOf({ name }: BuiltFile): string {
  return `${PUBLIC_PATH}/${name}`;
}

function pageWith(main: BuiltFile, style: BuiltFile): BuiltFile {
  const page = readFileSync(join(SOURCES, 'page.html'), 'utf8')
    .replace('MAIN_URL', urlOf(main))
    .replace('STYLE_URL', urlOf(style));
  return { name: 'page.html', bytes: Buffer.from(page) };
}

function inAssets({ name, bytes }: BuiltFile): BuiltFile {
  return { name: join('assets', name), bytes };
}

function brotli(bytes: Uint8Array): Buffer {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });
}
