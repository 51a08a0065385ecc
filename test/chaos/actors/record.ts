// Sends a request and records its answer. The checkers compare all answers of a chaos run with the
// final state of the payments.
import { createHash } from 'node:crypto';

/** `status` is the page that the checkout polls once its token is spent (decision 29). */
export type Operation = 'create' | 'get' | 'confirm' | 'cancel' | 'status';

export interface Answer {
  /**
   * Set only without a definite answer, to repeat the request. **Danger**: holds a token or a
   * signature, never print it.
   */
  readonly request: ApiRequest | undefined;
  readonly operation: Operation;
  readonly api: string;
  /** Clock error of the API at that moment; undefined while the harness changed it. */
  readonly shiftMs: number | undefined;
  /** From the path; for a create, from the answer. */
  readonly intentId: string | undefined;
  /** Of a signed request. */
  readonly nonce: string | undefined;
  readonly signedAtMs: number | undefined;
  /** Of the session token, as Postgres stores it; undefined for signed requests. */
  readonly jtiHash: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The request body. */
  readonly sent: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly text: string;
}

/**
 * The members of a request or answer body that the checkers read; all undefined for any other body.
 */
interface BodyMembers {
  readonly partner_user_id?: string;
  readonly intent_id?: string;
  readonly status?: string;
  readonly amount_usd_cents?: number;
  readonly corridor?: string;
  readonly captured_at?: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Api {
  readonly name: string;
  readonly url: string;
  readonly shiftMs: number | undefined;
}

/** Longer than the API takes for any request. */
const ANSWER_WITHIN_MS = 15_000;

/** Sends the request to that API. Does not throw when there is no answer. */
export async function sendRequest(
  request: ApiRequest,
  { name, url, shiftMs }: Api,
): Promise<Answer> {
  const sentAtMs = Date.now();
  const { status, text } = await exchange(request, url);
  return {
    request: isDefinite({ status }) ? undefined : request,
    ...aboutRequest(request),
    intentId: intentOf(request.path) ?? readBody(text).intent_id,
    ...{ api: name, shiftMs, sentAtMs, answeredAtMs: Date.now(), status, text },
  };
}

/** After a 503, and without an answer, the outcome is unknown. */
export function isDefinite({ status }: Pick<Answer, 'status'>): boolean {
  return status !== undefined && status !== 503;
}

async function exchange({ method, path, headers, body }: ApiRequest, url: string) {
  try {
    const reply = await fetch(`${url}${path}`, {
      ...{ method, headers, redirect: 'manual' },
      body: body === '' ? null : body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: reply.status, text: await reply.text() };
  } catch {
    // Connection refused, reset or timed out: a missing answer is a normal outcome here.
    return { status: undefined, text: '' };
  }
}

function aboutRequest({ method, path, headers, body }: ApiRequest) {
  const token = headers['authorization']?.replace('Bearer ', '');
  const timestamp = headers['x-service-timestamp'];
  return {
    operation: operationOf(method, path),
    nonce: headers['x-service-nonce'],
    signedAtMs: timestamp === undefined ? undefined : Date.parse(timestamp),
    jtiHash: token === undefined ? undefined : jtiHashOf(token),
    idempotencyKey: headers['idempotency-key'],
    sent: body,
  };
}

function operationOf(method: string, path: string): Operation {
  if (path.endsWith('/confirm')) return 'confirm';
  if (path.endsWith('/cancel')) return 'cancel';
  if (path.endsWith('/status')) return 'status';
  return method === 'GET' ? 'get' : 'create';
}

function intentOf(path: string): string | undefined {
  return /\/(pi_[^/]+)/.exec(path)?.[1];
}

/** As in `used_tokens`: SHA-256 of the `jti`, in hex. */
function jtiHashOf(token: string): string {
  const [, claims = ''] = token.split('.');
  const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string };
  return createHash('sha256').update(jti).digest('hex');
}

export function readBody(text: string): BodyMembers {
  try {
    return JSON.parse(text) as BodyMembers;
  } catch {
    return {};
  }
}
