// Sends one request as given, without retries or redirects. Each has a timeout, and a bound for the
// bytes of its answer.

const TIMEOUT_MS = 15_000;
const ANSWER_MAX_BYTES = 65_536;

export interface Answer {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Send = (url: string, sending: Sending) => Promise<Answer>;

export const sendOnce: Send = async (url, { method, headers, body = '' }) => {
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: body === '' ? null : body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, headers: response.headers, text: await textOf(response) };
  } catch (error) {
    return { status: 0, headers: new Headers(), text: reasonOf(error) };
  }
};

async function textOf({ body }: Response): Promise<string> {
  const stream: AsyncIterable<Uint8Array> | null = body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`over ${String(ANSWER_MAX_BYTES)} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined if the text is not JSON, such as the page of a proxy. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The cause of a failed fetch says more than its message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Such as `It answered 401 authentication_failed (req_…).` */
export function describe({ status, headers, text }: Answer): string {
  if (status === 0) return `There was no answer: ${text}.`;
  const [, code] = /"(?:error|code)":"(\w+)"/.exec(text) ?? [];
  const requestId = headers.get('x-request-id');
  const named = [String(status), code, requestId && `(${requestId})`].filter(Boolean).join(' ');
  return `It answered ${named}.`;
}
