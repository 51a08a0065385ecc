// A provider and webhook endpoints. `POST /payouts` answers paid at once, a query answers what
// became of the order, and any other POST answers 204. Under `/after/MS` the provider executes and
// answers an order that much later; meanwhile a query answers pending. Under `/silent` it never
// answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Order {
  readonly amount_usd_cents: number;
  readonly paidAtMs: number;
}

const PAYOUTS = /^(?:\/after\/(?<afterMs>\d+)|(?<silent>\/silent))?\/payouts(?:\/(?<key>[^/]+))?$/u;
const orders = new Map<string, Order>();

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
  const status = order.paidAtMs <= Date.now() ? 'paid' : 'pending';
  answer(response, 200, { key, status, amount_usd_cents: order.amount_usd_cents });
}

function takeOrder(response: ServerResponse, key: string, text: string, afterMs: number): void {
  const { amount_usd_cents } = JSON.parse(text) as Pick<Order, 'amount_usd_cents'>;
  const paid = { key, status: 'paid', amount_usd_cents };
  // An order that is paid at once is never queried.
  if (afterMs === 0) return answer(response, 200, paid);
  orders.set(key, { amount_usd_cents, paidAtMs: Date.now() + afterMs });
  setTimeout(() => answer(response, 200, paid), afterMs);
}

const server = createServer((request, response) => {
  void bodyOf(request).then((text) => {
    const payouts = PAYOUTS.exec(request.url ?? '')?.groups;
    if (payouts === undefined) return response.writeHead(204).end();
    if (payouts['silent'] !== undefined) return undefined;
    if (request.method === 'GET')
      return answerQuery(response, decodeURIComponent(payouts['key'] ?? ''));
    const key = String(request.headers['idempotency-key']);
    return takeOrder(response, key, text, Number(payouts['afterMs'] ?? 0));
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write('{"msg":"ready"}\n');
});
