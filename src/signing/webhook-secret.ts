// Reads a webhook secret (protocol 7.3) without Node's Buffer, which edge runtimes do not have.

const SECRET_PREFIX = 'whsec_';

/**
 * @param secret `whsec_` followed by the key in base64
 * @throws Error when the secret has another form; the message does not contain it
 */
export function webhookKey(secret: string): Uint8Array<ArrayBuffer> {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  const key = decoded(text);
  // Another spelling of the same key is probably a mistyped one.
  if (key === '' || btoa(key) !== text) {
    throw new Error('A webhook secret is `whsec_` followed by the key in base64.');
  }
  return Uint8Array.from(key, (character) => character.charCodeAt(0));
}

/** One character per byte; empty when the text is not base64. */
function decoded(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}
