// Builds the canonical request, the string that a signature covers (protocol 3.2).
import { hash } from 'node:crypto';

/** The parts of a request exactly as sent: not parsed, decoded or serialized again. */
export interface SignableRequest {
  /** In capitals, as on the request line: `POST`. */
  readonly method: string;
  /** As on the request line, without the query string (decision 11). */
  readonly path: string;
  /** The exact text of `X-Service-Timestamp`. */
  readonly timestamp: string;
  /** The exact text of `X-Service-Nonce`. */
  readonly nonce: string;
  /** The exact bytes of the body; empty when there is no body. */
  readonly body: Uint8Array;
}

/**
 * Returns the string to sign: "Five components joined by a single newline character." Request lines
 * and headers cannot contain a newline, so different requests have different canonical requests. It
 * throws nothing.
 */
export function canonicalRequest(request: SignableRequest): string {
  const { method, path, timestamp, nonce, body } = request;
  return [method, path, timestamp, nonce, bodyDigest(body)].join('\n');
}

/**
 * Component five: "Lowercase hex SHA-256 of the exact bytes of the request body; the empty string
 * when the body is empty."
 */
export function bodyDigest(body: Uint8Array): string {
  if (body.length === 0) return '';
  return hash('sha256', body);
}
