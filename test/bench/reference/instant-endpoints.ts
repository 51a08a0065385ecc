// A provider and webhook endpoints that answer at once: `POST /payouts` answers paid, a query
// answers 404, and any other POST answers 204.
import { createServer, type IncomingMessage } from 'node:http';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const server = createServer((request, response) => {
  void bodyOf(request).then((text) => {
    if (request.method === 'GET') {
      // The product queries before it sends again. No order of a bench is sent twice, so 404 is
      // right.
      const key = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: 'not_found', key }));
      return;
    }
    if (request.url !== '/payouts') {
      response.writeHead(204).end();
      return;
    }
    const { amount_usd_cents } = JSON.parse(text) as { readonly amount_usd_cents: number };
    const key = request.headers['idempotency-key'];
    const body = JSON.stringify({ key, status: 'paid', amount_usd_cents });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      .end(body);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write('{"msg":"ready"}\n');
});
