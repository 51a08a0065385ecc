// A provider and webhook endpoints that answer at once: `POST /payouts` answers paid, a query
// answers 404, and any other POST answers 204. Under `/paced` the provider executes and answers
// each order after the milliseconds that `POST /pace?ms=` has set, or nothing while they are
// `silent`; a query is answered at once, with what became of the order so far.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Order {
  readonly amount_usd_cents: number;
  readonly paidAtMs: number;
}

const PAYOUTS = /^(?:\/paced)?\/payouts(?:\/|$)/u;
const PACED = '/paced/';
const PACE = '/pace?ms=';
const orders = new Map<string, Order>();
/** Not a number while silent. */
let paceMs = 0;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answer(response: ServerResponse, status: number, members: object): void {
  const body = JSON.stringify(members);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
    .end(body);
}

function answerQuery(response: ServerResponse, key: string): void {
  const order = orders.get(key);
  if (order === undefined) return answer(response, 404, { error: 'not_found', key });
  const { amount_usd_cents, paidAtMs } = order;
  return answer(response, 200, {
    ...{ key, amount_usd_cents },
    status: paidAtMs <= Date.now() ? 'paid' : 'pending',
  });
}

function takeOrder(response: ServerResponse, key: string, text: string): void {
  const { amount_usd_cents } = JSON.parse(text) as Pick<Order, 'amount_usd_cents'>;
  orders.set(key, { amount_usd_cents, paidAtMs: Date.now() + paceMs });
  setTimeout(() => answer(response, 200, { key, status: 'paid', amount_usd_cents }), paceMs);
}

function payAtOnce(response: ServerResponse, key: string, text: string): void {
  const { amount_usd_cents } = JSON.parse(text) as Pick<Order, 'amount_usd_cents'>;
  answer(response, 200, { key, status: 'paid', amount_usd_cents });
}

function answerProvider(request: IncomingMessage, response: ServerResponse, text: string): void {
  const { method, headers, url = '' } = request;
  const isPaced = url.startsWith(PACED);
  if (isPaced && Number.isNaN(paceMs)) return;
  const key = decodeURIComponent(url.split('/').at(-1) ?? '');
  if (method === 'GET') return answerQuery(response, key);
  const pay = isPaced ? takeOrder : payAtOnce;
  pay(response, String(headers['idempotency-key']), text);
}

const server = createServer((request, response) => {
  void bodyOf(request).then((text) => {
    const { url = '' } = request;
    if (PAYOUTS.test(url)) return answerProvider(request, response, text);
    if (url.startsWith(PACE)) paceMs = Number(url.slice(PACE.length));
    return response.writeHead(204).end();
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write('{"msg":"ready"}\n');
});
