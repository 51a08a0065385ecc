// The certificate and key that the API serves TLS with (decision 23). They are read and checked
// once at start, so that a wrong file ends the start with a sentence and does not fail every
// handshake.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError, type ApiConfig } from '../../config/config';
import { systemCodeOf } from '../../domain/errors';

interface TlsFiles {
  /** PEM texts. */
  readonly cert: string;
  readonly key: string;
}

type TlsSettings = Pick<ApiConfig, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;

/** Undefined where this process serves no TLS. @throws ConfigError */
export function readTlsFiles(settings: TlsSettings): TlsFiles | undefined {
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
