// The canonical request: what a signed request's signature covers (protocol 3.2).
import { hash } from 'node:crypto';

/** The parts of a request as they travel: nothing parsed, decoded or serialized again. */
export interface SignableRequest {
  /** In capitals, as on the request line. */
  readonly method: string;
  /** As on the request line, without the query string (decision 11). */
  readonly path: string;
  /** The value of `X-Service-Timestamp`, character for character. */
  readonly timestamp: string;
  /** The value of `X-Service-Nonce`. */
  readonly nonce: string;
  /** The exact bytes of the body; none when there is no body. */
  readonly body: Uint8Array;
}

/**
 * "Five components joined by a single newline character." No component can hold a newline, since neither a request
 * line nor a header can, so two requests that differ in any component have different canonical requests.
 */
export function canonicalRequest(request: SignableRequest): string {
  const { method, path, timestamp, nonce, body } = request;
  return [method, path, timestamp, nonce, bodyDigest(body)].join('\n');
}

/** Component five: "Lowercase hex SHA-256 of the exact bytes of the request body; the empty string when the body is empty." */
export function bodyDigest(body: Uint8Array): string {
  if (body.length === 0) return '';
  return hash('sha256', body);
}
