// Searches logs, histories and errors for forbidden values: known secrets, session tokens,
// signatures, scanned codes and partners' user ids (architecture, sections 3 and 8).
import type { SandboxPartner } from '../../../src/dev/demo/sandbox-file';
import type { Secrets } from '../../../src/dev/stack/secrets';
import type { Finding } from './finding';

export type SecretSearch = ReturnType<typeof createSecretSearch>;

/** Secrets by name. A report contains the name and never the value. */
type KnownSecrets = ReadonlyMap<string, string>;

const EXAMPLES_MAX = 5;

/** Secrets that can be recognised by their form. */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['a session token', /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a webhook secret', /whsec_[A-Za-z0-9+/]{16,}/],
  ['a scanned code', /000201010[\w.]{2,}|CHAOS (NOODLES|SANDALS)/],
  ['a signature', /x-service-signature["': ]+[A-Za-z0-9+/]{43}=/i],
  ['a user of a partner', /chaos-user-\d/],
];

export function createSecretSearch(secrets: KnownSecrets) {
  const examples: string[] = [];
  let checked = 0;
  let violations = 0;
  const found = (name: string, where: string) => {
    violations += 1;
    if (examples.length < EXAMPLES_MAX) examples.push(`${name} in ${where}`);
  };
  return {
    /** @param where the source of the text for the report, a file or a workflow */
    look(where: string, text: string) {
      checked += 1;
      for (const [name, value] of secrets) if (text.includes(value)) found(name, where);
      for (const [name, pattern] of PATTERNS) if (pattern.test(text)) found(name, where);
    },
    finding(): Finding {
      return { name: 'no secret in any log, history or error', checked, violations, examples };
    },
  };
}

export function knownSecrets(secrets: Secrets, partners: readonly SandboxPartner[]): KnownSecrets {
  const known = new Map<string, string>(Object.entries(secrets));
  for (const partner of partners) {
    const { partner_id: id } = partner;
    known.set(`the signing secret of ${id}`, partner.signing_secret);
    known.set(`the webhook secret of ${id}`, partner.webhook_secret);
    // One line from the middle of the key is enough: logs break lines elsewhere than PEM does.
    const [, , line = ''] = partner.session_private_key_pem.split('\n');
    known.set(`the session key of ${id}`, line);
  }
  return known;
}
