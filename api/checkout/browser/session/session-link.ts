// Parses the session that the app passes in the fragment (protocol 6.1), and rejects a wrong one
// without a request. This is no access control: the service verifies the token itself.

import { memberOf } from '../member';

export interface SessionLink {
  readonly intentId: string;
  readonly token: string;
  /** Not checked yet: the session answer lists the schemes that the partner has registered. */
  readonly returnScheme: string | null;
  /**
   * The token's `exp`, epoch milliseconds. It explains a rejection by the service, and rejects
   * nothing by itself.
   */
  readonly expiresAtMs: number;
}

const PATH = /^\/flow\/([^/]+)\/scan$/;
const AUDIENCE = 'service-checkout';

/** The intent in the path of the page. */
export function intentIdOf(path: string): string | undefined {
  return PATH.exec(path)?.[1];
}

/** The session in the fragment, or undefined when the fragment has none for this page. */
export function readSessionLink(path: string, fragment: string): SessionLink | undefined {
  const intentId = intentIdOf(path);
  const token = valueOf(fragment, 'token');
  if (intentId === undefined || token === undefined) return undefined;
  const claims = readClaims(token);
  const isForPage = memberOf(claims, 'service:intent_id') === intentId;
  if (memberOf(claims, 'aud') !== AUDIENCE || !isForPage) return undefined;
  const exp = memberOf(claims, 'exp');
  if (typeof exp !== 'number') return undefined;
  const returnScheme = valueOf(fragment, 'return_scheme') ?? null;
  return { intentId, token, returnScheme, expiresAtMs: exp * 1_000 };
}

/** Undefined for a name that comes twice: it is unclear which value is meant. */
function valueOf(fragment: string, name: string): string | undefined {
  const values = fragment
    .replace(/^#/, '')
    .split('&')
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value, another] = values;
  return value === undefined || another !== undefined ? undefined : decoded(value);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A well-formed JWS has three segments (protocol 4.7, step 1). */
function readClaims(token: string): unknown {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
  try {
    const [, payload = ''] = token.split('.');
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
