// The page's three questions over HTTP. What is no whole and known answer tells nothing, whatever it looks like.
import { isCorridor } from '../../../../src/domain/corridor';
import { parseIntentStatus } from '../../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../../src/domain/intents/payment-intent';
import type { CheckoutService, Refused, Session, StatusAnswer, Unknown } from './answers';
import { memberOf } from '../member';

/** The service waits this long for the outcome; then it answers `authorized`, and the page asks on. */
const CONFIRM_WAIT_SECONDS = 5;
/** Longer than the service takes at most (10 s), and the way there and back. */
const ANSWER_WITHIN_MS = 20_000;

export function createService(intentId: string, token: string): CheckoutService {
  const authorization = { Authorization: `Bearer ${token}` };
  const flow = `/flow/${intentId}`;
  return {
    async session() {
      const reply = await ask(`${flow}/session`, { headers: authorization });
      const session = reply?.status === 200 ? toSession(reply.body) : undefined;
      return session === undefined ? rejectedOrUnknown(reply) : { kind: 'open', session };
    },
    async confirm(code) {
      const reply = await ask(`/v1/payment_intents/${intentId}/confirm`, {
        method: 'POST',
        headers: {
          ...authorization,
          'Content-Type': 'application/json',
          Prefer: `wait=${CONFIRM_WAIT_SECONDS}`,
        },
        body: JSON.stringify({ qr_payload: code }),
      });
      if (reply?.status === 400) return { kind: 'code_refused' };
      if (reply?.status === 409) return { kind: 'conflict' };
      return toStatusAnswer(reply);
    },
    async status() {
      return toStatusAnswer(await ask(`${flow}/status`, { headers: authorization }));
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number | undefined;
}

/** Undefined when there was no whole answer. */
async function ask(path: string, init: RequestInit): Promise<Reply | undefined> {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, ANSWER_WITHIN_MS);
  try {
    const response = await fetch(path, {
      ...init,
      signal: timeout.signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    const body: unknown = await response.json();
    return { status: response.status, body, retryAfterMs: retryAfterOf(response) };
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('Retry-After') ?? '';
  return /^\d{1,3}$/.test(text) ? Number(text) * 1_000 : undefined;
}

function toStatusAnswer(reply: Reply | undefined): StatusAnswer {
  const status = reply?.status === 200 ? statusOf(reply.body) : undefined;
  return status === undefined ? rejectedOrUnknown(reply) : { kind: 'told', status };
}

/** 401, 403 and 404 are about the session; anything else tells nothing. */
function rejectedOrUnknown(reply: Reply | undefined): Refused | Unknown {
  const isRejected = [401, 403, 404].includes(reply?.status ?? 0);
  return isRejected ? { kind: 'refused' } : { kind: 'unknown', retryAfterMs: reply?.retryAfterMs };
}

function statusOf(body: unknown): IntentStatus | undefined {
  const status = memberOf(body, 'status');
  try {
    return typeof status === 'string' ? parseIntentStatus(status) : undefined;
  } catch {
    return undefined;
  }
}

function toSession(body: unknown): Session | undefined {
  const status = statusOf(body);
  const amountUsdCents = memberOf(body, 'amount_usd_cents');
  const corridor = memberOf(body, 'corridor');
  const expiresInSeconds = memberOf(body, 'expires_in_seconds');
  const returnSchemes = memberOf(body, 'return_schemes');
  const isWhole =
    status !== undefined &&
    typeof amountUsdCents === 'number' &&
    isCorridor(corridor) &&
    typeof expiresInSeconds === 'number' &&
    isTexts(returnSchemes);
  return isWhole
    ? { status, amountUsdCents, corridor, expiresInSeconds, returnSchemes }
    : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
