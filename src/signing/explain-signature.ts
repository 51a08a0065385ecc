// What a signed request is signed over, component by component, and why another signature of it may differ. A refused
// signature is answered like every other 401 (protocol 8.3), so this is where to look.
import { createHash } from 'node:crypto';
import { bodyDigest, canonicalRequest, type SignableRequest } from './canonical-request';
import { signCanonicalRequest } from './hmac';
import { findMistakes, type SigningMistake } from './signing-mistakes';

export interface ExplainSignatureInput {
  readonly keyId: string;
  /** The secret as it was issued; nothing that comes back holds it. */
  readonly signingSecret: string;
  /** As on the request line, such as `POST`. */
  readonly method: string;
  /** The path or the whole address of the request; a query string may stand behind it and is not signed. */
  readonly target: string;
  /** As sent in `X-Service-Timestamp`. */
  readonly timestamp: string;
  /** As sent in `X-Service-Nonce`. */
  readonly nonce: string;
  /** The exact bytes that are sent, or the text that they encode in UTF-8; none unless told. */
  readonly body?: string | Uint8Array;
  /** What your own code made of the same request, to be compared. */
  readonly signature?: string;
}

export interface SignatureComponent {
  readonly name: 'method' | 'path' | 'timestamp' | 'nonce' | 'body digest';
  readonly value: string;
  /** Where the server takes it from. */
  readonly source: string;
}

export interface SignatureComparison {
  readonly isEqual: boolean;
  /** What would make exactly the given signature, at most two mistakes at once; none where nothing known does. */
  readonly likelyMistakes: readonly SigningMistake[];
}

export interface SignatureExplanation {
  /** The five, in their order. */
  readonly components: readonly SignatureComponent[];
  /** The components joined by single newlines. */
  readonly canonicalRequest: string;
  /** The same as the bytes that are signed. */
  readonly canonicalBytes: Uint8Array;
  /** Lowercase hex SHA-256 of those bytes, to compare with your own without showing either. */
  readonly canonicalSha256: string;
  /** The four headers as they are sent, with the right signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sentences on what the service refuses whatever the signature, and on what looks odd. */
  readonly problems: readonly string[];
  /** Null without a signature to compare. */
  readonly comparison: SignatureComparison | null;
}

/**
 * Signs a request the way the service does and shows every step: "Canonical request: five components joined by a single newline
 * character", and the signature, "Base64 of HMAC-SHA256 over the canonical request string, keyed with the signing secret". It
 * sends nothing and throws nothing; what the service would refuse anyway is among the `problems`.
 *
 * @example
 * ```ts
 * const { canonicalRequest, comparison } = explainSignature({
 *   keyId, signingSecret, method: 'POST', target: '/v1/payment_intents', timestamp, nonce, body, signature,
 * });
 * console.log(JSON.stringify(canonicalRequest), comparison?.likelyMistakes);
 * ```
 */
export function explainSignature(input: ExplainSignatureInput): SignatureExplanation {
  const { method, timestamp, nonce, signingSecret } = input;
  const { origin, path, query } = partsOf(input.target);
  const body = typeof input.body === 'object' ? input.body : Buffer.from(input.body ?? '', 'utf8');
  const request = { method, path, timestamp, nonce, body };
  const canonical = canonicalRequest(request);
  const signature = signCanonicalRequest(canonical, signingSecret);
  const bytes = Buffer.from(canonical, 'utf8');
  return {
    components: componentsOf(request),
    canonicalRequest: canonical,
    canonicalBytes: bytes,
    canonicalSha256: createHash('sha256').update(bytes).digest('hex'),
    headers: {
      'X-Service-Key-Id': input.keyId,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': signature,
    },
    problems: problemsOf(input, query),
    comparison:
      input.signature === undefined
        ? null
        : {
            // Both are known to the caller, so the time that comparing takes tells nothing.
            isEqual: input.signature === signature,
            likelyMistakes: findMistakes(
              { ...request, origin, query, secret: signingSecret },
              input.signature,
            ),
          },
  };
}

/** Text, not a URL: a parser would encode and normalize, and what is signed is what is sent. */
function partsOf(target: string) {
  const [, origin = '', path = '', query = ''] =
    /^(https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i.exec(target) ?? [];
  return { origin, path, query };
}

function componentsOf({
  method,
  path,
  timestamp,
  nonce,
  body,
}: SignableRequest): readonly SignatureComponent[] {
  const ofBody =
    body.length === 0
      ? 'the body, which is empty: the empty string'
      : `the ${body.length} bytes of the body: SHA-256, lowercase hex`;
  return [
    { name: 'method', value: method, source: 'the request line' },
    { name: 'path', value: path, source: 'the request line, up to a question mark' },
    { name: 'timestamp', value: timestamp, source: 'the header X-Service-Timestamp' },
    { name: 'nonce', value: nonce, source: 'the header X-Service-Nonce' },
    { name: 'body digest', value: bodyDigest(body), source: ofBody },
  ];
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|\+00:00)$/;

function problemsOf(input: ExplainSignatureInput, query: string): readonly string[] {
  const { method, target, timestamp, nonce, signingSecret } = input;
  const findings: readonly (readonly [boolean, string])[] = [
    [!/^[A-Z]+$/.test(method), 'The method is not in capitals, as a request line has it.'],
    [!partsOf(target).path.startsWith('/'), 'The path does not begin with a slash.'],
    [query !== '', 'The query string is not part of what is signed, and is not read.'],
    [!TIMESTAMP.test(timestamp), 'The timestamp is not RFC 3339 in UTC: it is refused.'],
    [!/^[0-9a-f]{64}$/.test(nonce), 'The nonce is not 64 lowercase hex characters: it is refused.'],
    [signingSecret === '', 'The signing secret is empty.'],
    [signingSecret.trim() !== signingSecret, 'The signing secret begins or ends with white space.'],
  ];
  return findings.filter(([isThere]) => isThere).map(([, sentence]) => sentence);
}
