// A server in front of the sandbox provider that changes its behaviour: each defect is one that a
// real provider could have.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Of the order or the query; empty for any other call. */
  readonly key: string;
  readonly authorization: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Forward = (call: Call) => Promise<Reply>;
/** Changes how calls reach the sandbox, and its replies. */
export type Defect = (forward: Forward) => Forward;

export function inFrontOf(sandboxUrl: string, defect: Defect) {
  const answer = defect((call) => forwardTo(sandboxUrl, call));
  return (request: IncomingMessage, response: ServerResponse): void => {
    readCall(request)
      .then(answer)
      .then(({ status, body, headers }) => {
        const type = {
          'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
        };
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        response.writeHead(status, { ...type, ...headers }).end(text);
      })
      // The order was cut off, or the sandbox does not answer.
      .catch(() => response.destroy());
  };
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method = '', url = '', headers } = request;
  const text = Buffer.concat(chunks).toString();
  return {
    ...{ method, path: url, authorization: String(headers.authorization) },
    key: String(headers['idempotency-key'] ?? keyIn(url)),
    body: text === '' ? {} : (JSON.parse(text) as Call['body']),
  };
}

function keyIn(path: string): string {
  const [, encoded = ''] = /^\/payouts\/([^/]+)$/.exec(path) ?? [];
  return decodeURIComponent(encoded);
}

async function forwardTo(url: string, call: Call): Promise<Reply> {
  const { method, path, key, authorization, body } = call;
  const isOrder = method === 'POST';
  const isQuery = method === 'GET' && path.startsWith('/payouts/') && key !== '';
  const response = await fetch(url + (isQuery ? `/payouts/${encodeURIComponent(key)}` : path), {
    method,
    headers: { authorization, ...(isOrder && key !== '' && { 'idempotency-key': key }) },
    body: isOrder ? JSON.stringify(body) : null,
  });
  return { status: response.status, body: await response.json() };
}
