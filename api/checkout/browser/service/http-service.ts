// The page's three requests over HTTP. An answer that is incomplete or not known counts as no
// answer.
import { isCorridor } from '../../../../src/corridors/names';
import { parseIntentStatus } from '../../../../src/domain/intents/transitions';
import type { IntentStatus } from '../../../../src/domain/intents/payment-intent';
import type { CheckoutService, Partner, Rejected, Session, StatusAnswer, Unknown } from './answers';
import { memberOf } from '../member';

/**
 * The service waits this long for the outcome; then it answers `authorized`, and the page reads the
 * status.
 */
const CONFIRM_WAIT_SECONDS = 5;
/** Longer than the service takes at most (10 s) plus the time on the network. */
const ANSWER_TIMEOUT_MS = 20_000;

export function createService(intentId: string, token: string): CheckoutService {
  const authorization = { Authorization: `Bearer ${token}` };
  const flow = `/flow/${intentId}`;
  const clock = createServiceClock();
  const request = (path: string, init: RequestInit) => send(path, init, clock);
  return {
    now: clock.now,
    async session(returnScheme = null) {
      const headers = { ...authorization, ...returnSchemeHeader(returnScheme) };
      const reply = await request(`${flow}/session`, { headers });
      const session = reply?.status === 200 ? toSession(reply.body) : undefined;
      return session === undefined ? rejectedOrUnknown(reply) : { kind: 'open', session };
    },
    async confirm(code) {
      const reply = await request(`/v1/payment_intents/${intentId}/confirm`, {
        method: 'POST',
        headers: {
          ...authorization,
          'Content-Type': 'application/json',
          Prefer: `wait=${CONFIRM_WAIT_SECONDS}`,
        },
        body: JSON.stringify({ qr_payload: code }),
      });
      if (reply?.status === 400) return { kind: 'code_rejected' };
      if (reply?.status === 409) return { kind: 'conflict' };
      if (reply?.status === 429 && isLimit(reply.body)) return { kind: 'limited' };
      return toStatusAnswer(reply);
    },
    async status() {
      return toStatusAnswer(await request(`${flow}/status`, { headers: authorization }));
    },
  };
}

/** The service's time, from the Date header of its answers. */
function createServiceClock() {
  let startedMs = performance.timeOrigin;
  return {
    read({ headers }: Response): void {
      const answeredMs = Date.parse(headers.get('Date') ?? '');
      if (!Number.isNaN(answeredMs)) startedMs = answeredMs - performance.now();
    },
    now: () => new Date(startedMs + performance.now()),
  };
}

/** Nothing for a text that no header may have: fetch would throw. */
function returnSchemeHeader(scheme: string | null): Record<string, string> {
  return scheme !== null && /^[!-~]{1,63}$/.test(scheme) ? { 'X-Return-Scheme': scheme } : {};
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number | undefined;
}

type ServiceClock = ReturnType<typeof createServiceClock>;

/** Undefined when there was no complete answer. */
async function send(
  path: string,
  init: RequestInit,
  clock: ServiceClock,
): Promise<Reply | undefined> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ANSWER_TIMEOUT_MS);
  try {
    const response = await fetch(path, {
      ...init,
      signal: timeout.signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    clock.read(response);
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
  return status === undefined ? rejectedOrUnknown(reply) : { kind: 'known', status };
}

/** 401, 403 and 404 reject the session; any other status has no meaning for it. */
function rejectedOrUnknown(reply: Reply | undefined): Rejected | Unknown {
  const isRejected = [401, 403, 404].includes(reply?.status ?? 0);
  return isRejected ? { kind: 'rejected' } : { kind: 'unknown', retryAfterMs: reply?.retryAfterMs };
}

/** Our own 429, in either envelope, and not that of a server in between. */
function isLimit(body: unknown): boolean {
  const error = memberOf(body, 'error');
  return error === 'limit_exceeded' || memberOf(error, 'code') === 'limit_exceeded';
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
  const isOpen = memberOf(body, 'is_open');
  const amountUsdCents = memberOf(body, 'amount_usd_cents');
  const corridor = memberOf(body, 'corridor');
  const expiresInSeconds = memberOf(body, 'expires_in_seconds');
  const returnSchemes = memberOf(body, 'return_schemes');
  const isComplete =
    status !== undefined &&
    typeof isOpen === 'boolean' &&
    typeof amountUsdCents === 'number' &&
    isCorridor(corridor) &&
    typeof expiresInSeconds === 'number' &&
    isTexts(returnSchemes);
  if (!isComplete) return undefined;
  const terms = { status, isOpen, amountUsdCents, corridor, expiresInSeconds };
  return { ...terms, returnSchemes, partner: partnerOf(body) };
}

/** A payment goes on without it, so an answer that has none is complete. */
function partnerOf(body: unknown): Partner | null {
  const partner = memberOf(body, 'partner');
  const name = memberOf(partner, 'name');
  const logo = memberOf(partner, 'logo');
  if (typeof name !== 'string') return null;
  return { name, logo: typeof logo === 'string' ? logo : null };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
