// The certificate of servers on this machine in tests, for localhost and 127.0.0.1, and its key: as files for programs of
// ours, and as texts. It is its own authority: who trusts it trusts those servers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CERT_FILE = join(__dirname, '..', 'tls', 'certificate.pem');
export const KEY_FILE = join(__dirname, '..', 'tls', 'private-key.pem');

export const CERTIFICATE = readFileSync(CERT_FILE, 'utf8');

/** What a server with it is made of. */
export function certificateAndKey(): { readonly cert: string; readonly key: string } {
  return { cert: CERTIFICATE, key: readFileSync(KEY_FILE, 'utf8') };
}
