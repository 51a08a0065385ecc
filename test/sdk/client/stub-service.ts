// A service without a network that gives the answers of a test and records its requests, and a
// client of it.
import { createClient, type Client, type ClientOptions } from '../../../src/sdk';

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The `redirect` option of fetch. */
  readonly redirect: string;
}

type Answer = Response | Error;

export interface StubService {
  readonly fetch: typeof fetch;
  readonly sent: SentRequest[];
}

/** Gives the answers in order; the last one repeats. An Error is a network failure. */
export function aService(...answers: readonly (() => Answer)[]): StubService {
  const sent: SentRequest[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = Buffer.from(await request.arrayBuffer());
      const { method, headers, redirect } = request;
      sent.push({ method, url: new URL(request.url), headers, body, redirect });
      const answer = (answers[sent.length - 1] ?? answers.at(-1))?.() ?? new Error('no answer');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

export const WIRE_INTENT = {
  intent_id: 'pi_00000000000000000000000000',
  status: 'created',
  amount_usd_cents: 1250,
  corridor: 'th_qrpay',
  created_at: '2025-01-15T10:30:00.000Z',
};

export function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return () => new Response(JSON.stringify(body), { status, headers });
}

export function networkFailure(): Answer {
  return new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
}

export const OWN_TIME = '2025-01-15T10:30:00.000Z';
export const INTENT_ID = WIRE_INTENT.intent_id;
export const ORDER = {
  partnerUserId: 'user-4711',
  amountUsdCents: 1250,
  corridor: 'th_qrpay',
} as const;

export const OPTIONS: ClientOptions = {
  baseUrl: 'https://pay.example/',
  keyId: 'acme_sandbox_2025q1',
  signingSecret: 'a signing secret',
  now: () => new Date(OWN_TIME),
  wait: () => Promise.resolve(),
};

export const aClient = ({ fetch }: StubService, options: Partial<ClientOptions> = {}): Client =>
  createClient({ ...OPTIONS, fetch, ...options });

export const unavailable = json(503, { error: 'internal_error', message: 'Try again.' });
export const conflict = json(409, { error: 'conflict', message: 'Too late.' });
export const cancelled = json(200, { ...WIRE_INTENT, status: 'cancelled' });

/** @returns the header of each request that was sent */
export const headersSent = ({ sent }: StubService, name: string) =>
  sent.map(({ headers }) => headers.get(name));
