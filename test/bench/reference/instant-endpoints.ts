// What the product calls, answering at once: `POST /payouts` is paid (a provider at 0 ms), any other POST is taken (a partner's
// webhook endpoint). No reference, but as bare as one.
import { createServer, type IncomingMessage } from 'node:http';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const server = createServer((request, response) => {
  void bodyOf(request).then((text) => {
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
