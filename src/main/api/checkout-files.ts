// The checkout files that `npm run build` or `npm start` wrote to a folder (decision 116): read
// once, served from memory.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { CheckoutFile, CheckoutFiles } from '../../../api/checkout/files';
import { ConfigError } from '../../config/config';

/** Where `npm run build` writes the checkout: beside the compiled program. */
const BUILT_FOLDER = join(__dirname, '..', '..', '..', 'checkout');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** @throws ConfigError when the folder holds no built checkout */
export function readCheckoutFiles(folder = BUILT_FOLDER): CheckoutFiles {
  if (!existsSync(join(folder, 'page.html'))) {
    throw new ConfigError(
      `There is no built checkout in ${folder}: run \`npm run build\`, and set CHECKOUT_DIR to the folder \`dist/checkout\` when the program runs from its sources.`,
    );
  }
  const assets = join(folder, 'assets');
  const names = readdirSync(assets).filter((name) => extname(name) in TYPES);
  return {
    page: readFile(join(folder, 'page.html')),
    assets: new Map(names.map((name) => [name, readFile(join(assets, name))])),
  };
}

function readFile(path: string): CheckoutFile {
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    bytes: {
      identity: readFileSync(path),
      br: readFileSync(`${path}.br`),
      gzip: readFileSync(`${path}.gz`),
    },
  };
}
