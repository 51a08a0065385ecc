// Shows every component of a signature and finds the mistake behind a wrong one. The API cannot
// tell a caller why a signature is rejected: every 401 is the same (protocol 8.3).
import { createHash } from 'node:crypto';
import { TIMESTAMP_SKEW_MAX_SECONDS } from '../domain/limits';
import { parseRfc3339Utc } from '../domain/rfc3339';
import { bodyDigest, canonicalRequest, type SignableRequest } from './canonical-request';
import { signCanonicalRequest } from './hmac';
import { findMistakes, type SigningMistake } from './signing-mistakes';

export interface ExplainSignatureInput {
  /** Undefined leaves its header out: it is not signed. */
  readonly keyId?: string | undefined;
  /** The secret as issued. The result does not contain it. */
  readonly signingSecret: string;
  /** As on the request line, such as `POST`. */
  readonly method: string;
  /**
   * The path of the request, also with host, or with scheme and host. A query string is allowed and
   * is not signed.
   */
  readonly target: string;
  /** With a `target` that has no host: finds a signature of the full URL. */
  readonly baseUrl?: string | undefined;
  /** The text sent in `X-Service-Timestamp`: RFC 3339 in UTC. */
  readonly timestamp: string;
  /** The text sent in `X-Service-Nonce`: 64 lowercase hex characters. */
  readonly nonce: string;
  /** The exact bytes that are sent, or their text in UTF-8. Default: no body. */
  readonly body?: string | Uint8Array;
  /** The signature that your own code made of the same request, to be compared. */
  readonly signature?: string;
  /** Your clock: with it, a timestamp that the service would reject is among the problems. */
  readonly now?: Date;
}

export interface SignatureComponent {
  readonly name: 'method' | 'path' | 'timestamp' | 'nonce' | 'body digest';
  readonly value: string;
  /** The part of the request that the server reads it from. */
  readonly source: string;
}

export interface SignatureComparison {
  readonly isEqual: boolean;
  /** One or two known mistakes that produce exactly your signature; empty when none is found. */
  readonly likelyMistakes: readonly SigningMistake[];
}

export interface SignatureExplanation {
  /** The five components, in order. */
  readonly components: readonly SignatureComponent[];
  /** The components joined by single newlines. */
  readonly canonicalRequest: string;
  /** The canonical request as the bytes that are signed. */
  readonly canonicalBytes: Uint8Array;
  /** Lowercase hex SHA-256 of these bytes, to compare with yours without revealing either. */
  readonly canonicalSha256: string;
  /** The four signing headers, with the correct signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sentences about input that the service rejects for any signature, or that looks wrong. */
  readonly problems: readonly string[];
  /** Null when no `signature` was given. */
  readonly comparison: SignatureComparison | null;
}

/**
 * Signs a request as the service does and shows every step: "Canonical request: five components
 * joined by a single newline character", then "Base64 of HMAC-SHA256 over the canonical request
 * string, keyed with the signing secret". It sends nothing and throws nothing. Input that the
 * service would reject for any signature is listed in `problems`.
 *
 * @example
 * ```ts
 * const { canonicalRequest, comparison } = explainSignature({
 *   ...{ keyId, signingSecret, timestamp, nonce, body, signature },
 *   method: 'POST',
 *   target: '/v1/payment_intents',
 * });
 * console.log(JSON.stringify(canonicalRequest), comparison?.likelyMistakes);
 * ```
 */
export function explainSignature(input: ExplainSignatureInput): SignatureExplanation {
  const { method, timestamp, nonce, signingSecret } = input;
  const { host, path, query } = partsOf(input.target);
  const { host: baseHost } = partsOf(input.baseUrl ?? '');
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
      ...(input.keyId !== undefined && { 'X-Service-Key-Id': input.keyId }),
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': signature,
    },
    problems: problemsOf(input, query),
    comparison:
      input.signature === undefined
        ? null
        : {
            // The caller knows both values, so no constant-time comparison is needed.
            isEqual: input.signature === signature,
            likelyMistakes: findMistakes(
              { ...request, host: host || baseHost, query, secret: signingSecret },
              input.signature,
            ),
          },
  };
}

/**
 * Splits text, not a parsed URL: a URL parser would normalize the path, which is signed as sent.
 */
function partsOf(target: string) {
  const { host, bare, path = '', query = '' } = TARGET.exec(target)?.groups ?? {};
  return { host: host ?? bare ?? '', path, query };
}

/** A host without a scheme has a dot, a colon or brackets, or is `localhost`. */
const TARGET =
  /^(?:https?:\/\/(?<host>[^/?#]*)|(?<bare>(?:localhost|[^/?#]*[.:\]][^/?#]*)(?=\/)))?(?<path>[^?#]*)(?<query>\?[^#]*)?/i;

function componentsOf(request: SignableRequest): readonly SignatureComponent[] {
  const { method, path, timestamp, nonce, body } = request;
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

type Finding = readonly [isThere: boolean, sentence: string];

function problemsOf(input: ExplainSignatureInput, query: string): readonly string[] {
  const { method, target, nonce, signingSecret } = input;
  const findings: readonly Finding[] = [
    [!/^[A-Z]+$/.test(method), 'The method is not in capitals. Sign it as on the request line.'],
    [!partsOf(target).path.startsWith('/'), 'The path does not begin with a slash.'],
    [query !== '', 'The query string is not signed, and the service does not read it.'],
    ...missingHeaders(input),
    ...timestampFindings(input),
    [
      nonce !== '' && !/^[0-9a-f]{64}$/.test(nonce),
      'The nonce is not 64 lowercase hex characters: the service rejects it.',
    ],
    [signingSecret === '', 'The signing secret is empty.'],
    [signingSecret.trim() !== signingSecret, 'The signing secret begins or ends with white space.'],
  ];
  return findings.filter(([isThere]) => isThere).map(([, sentence]) => sentence);
}

/** A header without a value counts as missing. */
function missingHeaders({ keyId, timestamp, nonce, signature }: ExplainSignatureInput) {
  const headers = [
    ['X-Service-Key-Id', keyId],
    ['X-Service-Timestamp', timestamp],
    ['X-Service-Nonce', nonce],
    ['X-Service-Signature', signature],
  ] as const;
  return headers.map(([name, value]): Finding => {
    return [value === '', `${name} is missing: the service rejects the request.`];
  });
}

function timestampFindings({ timestamp, now }: ExplainSignatureInput): readonly Finding[] {
  const atMs = parseRfc3339Utc(timestamp);
  if (atMs === undefined) {
    const isGiven = timestamp !== '';
    return [[isGiven, 'The timestamp is not RFC 3339 in UTC: the service rejects it.']];
  }
  const ageSeconds = now === undefined ? 0 : Math.round((now.getTime() - atMs) / 1_000);
  const side = ageSeconds > 0 ? 'behind' : 'ahead of';
  const off = `${String(Math.abs(ageSeconds))} s ${side} this clock`;
  return [
    [
      Math.abs(ageSeconds) > TIMESTAMP_SKEW_MAX_SECONDS,
      `The timestamp is ${off}. The service rejects it beyond ${String(TIMESTAMP_SKEW_MAX_SECONDS)} s: sign just before you send.`,
    ],
  ];
}
