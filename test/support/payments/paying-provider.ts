// A payout provider as in production, by default over https (architecture, section 6): it pays
// every order once per key, whatever the amount.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { listen } from '../../../src/main/listen';
import { certificateAndKey } from '../http/certificate';

interface PaidOrder {
  readonly key: string;
  readonly amount_usd_cents: number;
  readonly corridor: string;
}

export interface PayingProvider {
  readonly url: string;
  /** The headers of every call, oldest first. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** The paid orders, oldest first. */
  paid(): readonly PaidOrder[];
  close(): void;
}

type Answer = readonly [status: number, body: object];

/** @param token the bearer credential that it requires */
export async function startPayingProvider(
  token: string,
  scheme: 'http' | 'https' = 'https',
): Promise<PayingProvider> {
  const paid = new Map<string, PaidOrder>();
  const headers: IncomingHttpHeaders[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    headers.push(request.headers);
    const isKnown = request.headers.authorization === `Bearer ${token}`;
    void (isKnown ? answerTo(request, paid) : UNAUTHORIZED).then((answer) => {
      sendAnswer(response, answer);
    });
  };
  const server =
    scheme === 'https' ? createSecureServer(certificateAndKey(), handle) : createServer(handle);
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `${scheme}://127.0.0.1:${String(port)}`,
    headers,
    paid: () => [...paid.values()],
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const UNAUTHORIZED = Promise.resolve<Answer>([401, { error: 'unauthorized' }]);

async function answerTo(request: IncomingMessage, paid: Map<string, PaidOrder>): Promise<Answer> {
  const call = `${request.method ?? ''} ${request.url ?? ''}`;
  const queriedKey = /^GET \/payouts\/(.+)$/.exec(call)?.[1];
  if (queriedKey !== undefined) return answerAbout(decodeURIComponent(queriedKey), paid);
  const key = request.headers['idempotency-key'];
  if (call !== 'POST /payouts' || typeof key !== 'string') return [400, { error: 'bad_request' }];
  const order = JSON.parse(await textOf(request)) as Omit<PaidOrder, 'key'>;
  if (!paid.has(key)) paid.set(key, { ...order, key });
  return answerAbout(key, paid);
}

function answerAbout(key: string, paid: ReadonlyMap<string, PaidOrder>): Answer {
  const order = paid.get(key);
  if (order === undefined) return [404, { error: 'not_found', key }];
  return [200, { key, status: 'paid', amount_usd_cents: order.amount_usd_cents }];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function sendAnswer(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
