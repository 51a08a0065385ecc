// Answers 200 once a reference has executed its path, with only node:http and the SDK's client.
import { createServer } from 'node:http';
import { Client, Connection } from '@temporalio/client';

const BODY = JSON.stringify({ status: 'captured' });
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length };

export async function serveBare(
  work: (client: Client, path: string) => Promise<unknown>,
): Promise<void> {
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const namespace = process.env['TEMPORAL_NAMESPACE'] ?? 'default';
  const client = new Client({ connection, namespace });
  const server = createServer((request, response) => {
    request.resume();
    work(client, request.url ?? '').then(
      () => response.writeHead(200, HEADERS).end(BODY),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        response.writeHead(500, { 'content-length': 0 }).end();
      },
    );
  });
  server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
    process.stdout.write('{"msg":"ready"}\n');
  });
}
