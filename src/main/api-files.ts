// The checkout files that `npm run build` or `npm start` wrote to a folder (decision 116): read
// once, served from memory.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { CheckoutFile, CheckoutFiles } from '../../api/checkout/files';
import { ConfigError, type ApiConfig } from '../config/config';
import { systemCodeOf } from '../domain/errors';

/** Where `npm run build` writes the checkout: beside the compiled program. */
const BUILT_FOLDER = join(__dirname, '..', '..', 'checkout');

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

// The certificate and key that the API serves TLS with (decision 23). They are read and checked
// once at start, so that a wrong file ends the start with a sentence and does not fail every
// handshake.

type TlsSettings = Pick<ApiConfig, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;

/** As PEM texts; undefined where this process serves no TLS. @throws ConfigError */
export function readTlsFiles(settings: TlsSettings) {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = settings;
  if (certFile === undefined || keyFile === undefined) return undefined;
  const files = { cert: readPem('TLS_CERT_FILE', certFile), key: readPem('TLS_KEY_FILE', keyFile) };
  try {
    createSecureContext(files);
  } catch (error) {
    throw new ConfigError(
      `TLS_CERT_FILE and TLS_KEY_FILE name files that do not go together (${codeOf(error)}), and should name a certificate chain and its private key without a passphrase, both PEM.`,
      { cause: error },
    );
  }
  return files;
}

function readPem(name: keyof TlsSettings, path: string): string {
  const text = readText(name, path);
  // OpenSSL accepts an empty text without an error, and then every handshake fails.
  if (text.includes('-----BEGIN ')) return text;
  throw new ConfigError(`${name} names a file that is not PEM.`);
}

function readText(name: keyof TlsSettings, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name} names a file that cannot be read (${codeOf(error)}).`, {
      cause: error,
    });
  }
}

/** A code such as `ENOENT`. The message may quote the content of the file, so it is not used. */
function codeOf(error: unknown): string {
  return systemCodeOf(error) || 'unknown error';
}
