// What was asked of the API and what it said, every answer of a run: the checkers compare them with what became of the
// payments.
import { createHash } from 'node:crypto';

/** `status` is what the checkout asks once its token is spent (decision 29). */
export type Asked = 'create' | 'get' | 'confirm' | 'cancel' | 'status';

export interface Answer {
  /** To repeat what was told nothing definite; undefined else. Holds a token or a signature: never to be printed. */
  readonly request: ApiRequest | undefined;
  readonly asked: Asked;
  readonly api: string;
  /** How far the API's clock was off then; undefined while it was being changed. */
  readonly shiftMs: number | undefined;
  /** Of the path; of a create, of the answer. */
  readonly intentId: string | undefined;
  /** What makes a signed request one: its nonce. */
  readonly nonce: string | undefined;
  readonly signedAtMs: number | undefined;
  /** Of the session token, as Postgres keeps it; undefined for signed requests. */
  readonly jtiHash: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The body that was sent. */
  readonly sent: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  readonly text: string;
}

/** The members of a body, sent or answered, that are looked at; all undefined where there are none. */
export interface Told {
  readonly partner_user_id?: string;
  readonly intent_id?: string;
  readonly status?: string;
  readonly amount_usd_cents?: number;
  readonly corridor?: string;
  readonly captured_at?: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** From the first slash on. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Api {
  readonly name: string;
  readonly url: string;
  readonly shiftMs: number | undefined;
}

/** Longer than the API takes for anything. */
const ANSWER_WITHIN_MS = 15_000;

/** What came of sending it to that API. Never throws for want of an answer. */
export async function ask(request: ApiRequest, { name, url, shiftMs }: Api): Promise<Answer> {
  const sentAtMs = Date.now();
  const { status, text } = await exchange(request, url);
  return {
    request: isDefinite({ status }) ? undefined : request,
    ...aboutRequest(request),
    intentId: intentOf(request.path) ?? toldBy(text).intent_id,
    ...{ api: name, shiftMs, sentAtMs, answeredAtMs: Date.now(), status, text },
  };
}

/** After a 503, and after no answer at all, nobody knows what has been done. */
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
    // Refused, reset, or too late: no answer is an outcome like any other here.
    return { status: undefined, text: '' };
  }
}

function aboutRequest({ method, path, headers, body }: ApiRequest) {
  const token = headers['authorization']?.replace('Bearer ', '');
  const timestamp = headers['x-service-timestamp'];
  return {
    asked: askedBy(method, path),
    nonce: headers['x-service-nonce'],
    signedAtMs: timestamp === undefined ? undefined : Date.parse(timestamp),
    jtiHash: token === undefined ? undefined : jtiHashOf(token),
    idempotencyKey: headers['idempotency-key'],
    sent: body,
  };
}

function askedBy(method: string, path: string): Asked {
  if (path.endsWith('/confirm')) return 'confirm';
  if (path.endsWith('/cancel')) return 'cancel';
  if (path.endsWith('/status')) return 'status';
  return method === 'GET' ? 'get' : 'create';
}

function intentOf(path: string): string | undefined {
  return /\/(pi_[^/]+)/.exec(path)?.[1];
}

/** As `used_tokens` holds it: SHA-256 of the `jti`, in hex. */
export function jtiHashOf(token: string): string {
  const [, claims = ''] = token.split('.');
  const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string };
  return createHash('sha256').update(jti).digest('hex');
}

export function toldBy(text: string): Told {
  try {
    return JSON.parse(text) as Told;
  } catch {
    return {};
  }
}
