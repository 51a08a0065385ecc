// Hashes and signatures by Web Crypto, which Node and edge runtimes have. The client signs with it
// everywhere: 0.1 ms a signature, where Node's own crypto needs 6 µs, beside a request of many
// milliseconds.
import type { SignableRequest } from '../signing/canonical-request';
import { webhookKey } from '../signing/webhook-secret';
import type { WebhookMessage } from '../signing/webhook-signature';

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The string to sign (protocol 3.2), as `canonicalRequest` of the package itself makes it. */
export async function canonicalRequest(request: SignableRequest): Promise<string> {
  const { method, path, timestamp, nonce, body } = request;
  const digest = body.length === 0 ? '' : await sha256Hex(body);
  return [method, path, timestamp, nonce, digest].join('\n');
}

/** "Base64 of HMAC-SHA256 over the canonical request string, keyed with the signing secret." */
export async function signCanonicalRequest(canonical: string, secret: string): Promise<string> {
  return hmacBase64(bytesOf(secret), bytesOf(canonical));
}

/** One signature of Standard Webhooks, `v1,<base64>`. @throws Error as `webhookKey` */
export async function signWebhook(message: WebhookMessage, secret: string): Promise<string> {
  const key = webhookKey(secret);
  const { id, timestamp, body } = message;
  const head = bytesOf(`${id}.${timestamp}.`);
  const rest = typeof body === 'string' ? bytesOf(body) : body;
  const signed = new Uint8Array(head.length + rest.length);
  signed.set(head);
  signed.set(rest, head.length);
  return `v1,${await hmacBase64(key, signed)}`;
}

/**
 * Whether two texts are equal. The time does not depend on where they differ, but may show that
 * their lengths differ. Web Crypto has no such function.
 */
export function isEqualInConstantTime(left: string, right: string): boolean {
  const [given, known] = [bytesOf(left), bytesOf(right)];
  let difference = given.length ^ known.length;
  for (const [index, byte] of known.entries()) difference |= byte ^ (given[index] ?? 0);
  return difference === 0;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))));
}

async function hmacBase64(
  secret: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const key = await crypto.subtle.importKey('raw', secret, HMAC, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, data);
  return btoa(String.fromCharCode(...new Uint8Array(mac)));
}
