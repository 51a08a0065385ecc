// A self-signed test certificate for localhost and 127.0.0.1 with its key, as files and as texts. A
// client that trusts this certificate as an authority trusts the servers of tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CERT_FILE = join(__dirname, '..', 'tls', 'certificate.pem');
export const KEY_FILE = join(__dirname, '..', 'tls', 'private-key.pem');

export const CERTIFICATE = readFileSync(CERT_FILE, 'utf8');

/** The TLS options of a server. */
export function certificateAndKey(): { readonly cert: string; readonly key: string } {
  return { cert: CERTIFICATE, key: readFileSync(KEY_FILE, 'utf8') };
}
