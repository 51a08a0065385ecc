// What the product calls, answering at once: `POST /payouts` is paid (a provider at 0 ms), a query finds nothing, any other POST is taken (a partner's
// webhook endpoint). No reference, but as bare as one.
import { createServer, type IncomingMessage } from 'node:http';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const server = createServer((request, response) => {
  void bodyOf(request).then((text) => {
    if (request.method === 'GET') {
      // A provider that was sent nothing: the product queries before a sending that is not the first.
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
