// A service that answers what the test says and keeps what it was sent; no network.

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Buffer;
  /** What the caller told fetch to do with a redirect. */
  readonly redirect: string;
}

type Answer = Response | Error;

export interface StubService {
  readonly fetch: typeof fetch;
  readonly sent: SentRequest[];
}

/** Answers in this order; the last one for ever. An Error stands for a network failure. */
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
